import Foundation
import ParleyREST
import ParleyTestSupport
import Testing

@Suite("Timestamps from clients")
struct TimestampTests {
    @Test(
        "are RFC 3339 or milliseconds",
        arguments: [
            ("0", 0), ("1790000000123", 1_790_000_000_123), ("253402300799999", 253_402_300_799_999),
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.1Z", 100), ("1970-01-01t00:00:00.12z", 120),
            ("1970-01-01 00:00:00.1239999Z", 123), ("1969-12-31T23:59:59.999Z", -1),
            ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T18:30:00-05:30", 0), ("1970-01-01T01:00:00 01:00", 0),
            ("1985-04-12T23:20:50.52Z", 482_196_050_520), ("1996-12-19T16:39:57-08:00", 851_042_397_000),
            ("1990-12-31T23:59:60Z", 662_688_000_000), ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130),
            ("2000-02-29T00:00:00Z", 951_782_400_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
            ("0000-03-01T00:00:00Z", -62_162_035_200_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ])
    func valid(text: String, milliseconds: Int) {
        #expect(Timestamp.milliseconds(text) == Int64(milliseconds))
    }

    @Test(
        "are rejected in any other form",
        arguments: [
            "", "-1", "+1", "1.5", "1e3", "253402300800000", "9999999999999999999999", "now", "2026-", "2026-09-21",
            "2026-09-21T14:13:50", "2026-09-21T14:13Z", "2026-9-21T14:13:50Z", "26-09-21T14:13:50Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00,5Z", "2026-01-01T00:00:00+1:00",
            "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60",
            "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
            "20260101T000000Z",
        ])
    func invalid(text: String) {
        #expect(Timestamp.milliseconds(text) == nil)
    }

    @Test("agree with Foundation on every day from 1583 to 9999", arguments: [UInt64.random(in: .min ... .max)])
    func calendar(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let formatter = ISO8601DateFormatter()
        for _ in 0..<500 {
            let seconds = Int64.random(in: -12_212_553_600...253_402_300_799, using: &generator)
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(Timestamp.milliseconds(text) == seconds * 1000, "\(text)")
        }
    }
}
