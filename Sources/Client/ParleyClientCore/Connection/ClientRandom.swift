/// Random numbers from the system, or from a seed for tests (SplitMix64).
package struct ClientRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64?

    package init(seed: UInt64?) { state = seed }

    package mutating func next() -> UInt64 {
        guard var seed = state else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        seed &+= 0x9E37_79B9_7F4A_7C15
        state = seed
        var mixed = seed
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a UUIDv7 (RFC 9562 §5.7) in its canonical form.
    package mutating func uuid7(milliseconds: Int64) -> String {
        let time = UInt64(max(0, milliseconds)) & 0xFFFF_FFFF_FFFF
        let high = time << 16 | 0x7000 | (next() & 0x0FFF)
        let low = 0x8000_0000_0000_0000 | (next() & 0x3FFF_FFFF_FFFF_FFFF)
        func hex(_ value: UInt64, _ digits: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: digits - text.count) + text
        }
        return [
            hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
            hex(low & 0xFFFF_FFFF_FFFF, 12),
        ].joined(separator: "-")
    }
}
