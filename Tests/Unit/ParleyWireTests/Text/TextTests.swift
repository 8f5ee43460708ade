import ParleyModel
import ParleyWire
import Testing

@Suite struct TextTests {
    @Test(
        "times are written as RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (999, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (1_795_255_200_000, "2026-11-21T10:00:00Z"), (951_782_399_000, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"), (951_868_800_000, "2000-03-01T00:00:00Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59Z"), (253_402_300_800_000, "9999-12-31T23:59:59Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00Z"), (-62_167_219_200_001, "0000-01-01T00:00:00Z"),
            (Int64.max, "9999-12-31T23:59:59Z"), (Int64.min, "0000-01-01T00:00:00Z"),
        ])
    func writesTimes(milliseconds: Int64, text: String) {
        #expect(CivilTime.rfc3339(milliseconds: milliseconds) == text)
    }

    @Test("every day of 400 years, leap days included, follows the previous day")
    func writesEveryDay() {
        var (year, month, day) = (1970, 1, 1)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        for count in 0..<Int64(146_097) {
            let text = CivilTime.rfc3339(milliseconds: count * 86_400_000 + 86_399_999)
            if text != "\(year)-\(two(month))-\(two(day))T23:59:59Z" {
                Issue.record("day \(count) is \(text), not \(year)-\(month)-\(day)")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            day += 1
            if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect((year, month, day) == (2370, 1, 1))
    }

    @Test("seconds round down on both sides of 1970")
    func roundsSeconds() {
        #expect([-1001, -1000, -1, 0, 999, 1000].map(CivilTime.seconds(milliseconds:)) == [-2, -1, -1, 0, 0, 1])
    }

    @Test("the UTF-8 check agrees with the standard library on all forms of up to four bytes")
    func checksUTF8() {
        // Every byte that bounds some rule, with both neighbours.
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x91, 0x9F, 0xA0, 0xA1, 0xBE, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
            0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF,
        ]
        var wrong: [[UInt8]] = []
        func check(_ bytes: [UInt8]) {
            let expected = String(validating: bytes, as: UTF8.self) != nil
            // A long run of ASCII before it, so that the fast path is left in the middle.
            for padding in [0, 5] {
                let padded = Array(repeating: UInt8(ascii: "a"), count: padding) + bytes + Array("12345678".utf8)
                if padded.withUnsafeBytes(UTF8Check.isValid) != expected { wrong.append(padded) }
            }
            if bytes.withUnsafeBytes(UTF8Check.isValid) != expected { wrong.append(bytes) }
        }
        check([])
        for first in UInt8.min...UInt8.max {
            check([first])
            for second in UInt8.min...UInt8.max {
                check([first, second])
                if first >= 0xE0 { for third in edges { check([first, second, third]) } }
            }
        }
        for first in edges where first >= 0xED {
            for second in edges {
                for third in edges { for fourth in edges { check([first, second, third, fourth]) } }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }
}
