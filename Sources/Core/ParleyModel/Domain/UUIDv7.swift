/// A UUID of version 7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, then random bits. UUIDs sort by creation time.
package struct UUIDv7: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// - Parameter milliseconds: The Unix time. Only its low 48 bits are kept.
    package init(milliseconds: Int64, using generator: inout some RandomNumberGenerator) {
        let time = UInt64(truncatingIfNeeded: milliseconds) & 0xFFFF_FFFF_FFFF
        high = time << 16 | 0x7000 | UInt64.random(in: 0...0x0FFF, using: &generator)
        low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &generator)
    }

    /// Makes a UUID that takes its other bits from the beginning of a digest.
    /// - Parameter digest: At least 10 bytes.
    package init(milliseconds: Int64, digest: some Sequence<UInt8>) {
        let time = UInt64(truncatingIfNeeded: milliseconds) & 0xFFFF_FFFF_FFFF
        let bytes = Array(digest.prefix(10))
        let words = bytes.reduce((first: UInt64(0), last: UInt64(0))) { words, byte in
            (words.first << 8 | words.last >> 56, words.last << 8 | UInt64(byte))
        }
        high = time << 16 | 0x7000 | words.first & 0x0FFF
        low = 0x8000_0000_0000_0000 | words.last & 0x3FFF_FFFF_FFFF_FFFF
    }

    /// Makes a UUID whose last 16 bits equal `mark` if and only if it is marked.
    /// - Parameter isMarked: Receives the random bits before the mark, so that a random decision needs no second draw.
    package init(
        milliseconds: Int64, using generator: inout some RandomNumberGenerator, mark: UInt16,
        isMarked: (_ random: UInt64) -> Bool
    ) {
        let plain = UUIDv7(milliseconds: milliseconds, using: &generator)
        high = plain.high
        let front = plain.low & ~0xFFFF
        let random = front & 0x3FFF_FFFF_FFFF_FFFF
        if isMarked(random >> 16) {
            low = front | UInt64(mark)
        } else {
            // The random bits equal the mark by chance, so one bit is changed.
            low = plain.low & 0xFFFF == UInt64(mark) ? plain.low ^ 1 : plain.low
        }
    }

    /// Makes a UUID for the current time of `clock`.
    package init(_ clock: WallClock) {
        var generator = SystemRandomNumberGenerator()
        self.init(milliseconds: clock.milliseconds, using: &generator)
    }

    /// The canonical text form: lower-case hex digits with dashes, 8-4-4-4-12.
    package var canonical: String {
        let digits = Array(description)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return groups.joined(separator: "-")
    }

    /// 32 lower-case hex digits, without dashes.
    package var description: String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            for (word, start) in [(high, 0), (low, 16)] {
                for digit in 0..<16 {
                    let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * digit)) & 0xF
                    buffer[start + digit] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
                }
            }
            return 32
        }
    }
}
