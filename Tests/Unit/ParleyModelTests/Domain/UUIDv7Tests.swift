import ParleyModel
import ParleyTestSupport
import Testing

@Suite struct UUIDv7Tests {
    @Test("the example of RFC 9562 A.6 has this layout")
    func layout() throws {
        // 017F22E2-79B0-7CC3-98C4-DC0C0C07398F, made at 1645557742000.
        var generator = SeededGenerator(3)
        let text = UUIDv7(milliseconds: 1_645_557_742_000, using: &generator).description
        #expect(text.utf8.count == 32)
        #expect(text.hasPrefix("017f22e279b07"))
        #expect(text.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    }

    @Test("version and variant do not depend on the random bits", arguments: [0, UInt64.max])
    func fixedBits(bits: UInt64) {
        var generator = FixedGenerator(value: bits)
        let digits = Array(UUIDv7(milliseconds: 0, using: &generator).description)
        #expect(String(digits[0..<12]) == "000000000000")
        #expect(digits[12] == "7")
        #expect(digits[16] == (bits == 0 ? "8" : "b"))
        #expect(String(digits[13..<16]) == (bits == 0 ? "000" : "fff"))
        #expect(String(digits[17...]) == String(repeating: bits == 0 ? "0" : "f", count: 15))
    }

    @Test("the bits of a digest replace the random ones", arguments: [UInt8.min, .max])
    func digest(byte: UInt8) {
        let digits = Array(UUIDv7(milliseconds: 1, digest: [UInt8](repeating: byte, count: 32)).description)
        #expect(String(digits[..<13]) == "0000000000017")
        #expect(String(digits[13..<17]) == (byte == 0 ? "0008" : "fffb"))
        #expect(String(digits[17...]) == String(repeating: byte == 0 ? "0" : "f", count: 15))
        let counted = UUIDv7(milliseconds: 1, digest: (1...10).map { UInt8($0) }).canonical
        #expect(counted == "00000000-0001-7102-8304-05060708090a")
    }

    @Test("all 74 random bits vary")
    func randomBits() throws {
        var generator = SeededGenerator(4)
        var (zeros, ones) = (UInt128.max, UInt128.max)
        for _ in 0..<200 {
            let value = try #require(UInt128(UUIDv7(milliseconds: 0, using: &generator).description, radix: 16))
            ones &= value
            zeros &= ~value
        }
        #expect((~ones & ~zeros).nonzeroBitCount == 74)
    }

    @Test("a later UUID sorts after an earlier one")
    func order() {
        var generator = SeededGenerator(5)
        let times: [Int64] = [0, 1, 255, 256, 65_535, 65_536, 1_645_557_742_000, 1_645_557_742_001, 1 << 47]
        let texts = times.map { UUIDv7(milliseconds: $0, using: &generator).description }
        #expect(texts == texts.sorted())
    }

    @Test("only 48 bits of the time are kept", arguments: [1 << 48, -1] as [Int64])
    func wraps(milliseconds: Int64) {
        var generator = SeededGenerator(6)
        let text = UUIDv7(milliseconds: milliseconds, using: &generator).description
        #expect(text.hasPrefix(milliseconds < 0 ? "ffffffffffff7" : "0000000000007"))
    }

    @Test("a UUID made from a clock has the clock's time")
    func ofClock() {
        #expect(UUIDv7(WallClock { 0x0123_4567_89AB }).description.hasPrefix("0123456789ab7"))
    }
}
