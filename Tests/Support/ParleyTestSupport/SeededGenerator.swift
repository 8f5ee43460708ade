/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

/// A generator that always draws the same. Not 0: the standard library would draw again, for ever.
package struct FixedGenerator: RandomNumberGenerator {
    package let value: UInt64

    package init(value: UInt64) {
        self.value = value
    }

    package mutating func next() -> UInt64 { value }
}
