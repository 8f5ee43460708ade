/// Random numbers of a seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// A generator of its own for a purpose, so that drawing more for one changes nothing for the others.
    package init(seed: UInt64, purpose: UInt64) {
        self.init(seed: seed)
        state = next() ^ (purpose &* 0xD1B5_4A32_D192_ED03)
        state = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must be above zero.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// A number of a closed range.
    package mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// Whether something happens that happens once in so many times.
    package mutating func once(in times: Int) -> Bool { times <= 1 || below(times) == 0 }

    package mutating func element<Value>(of values: [Value]) -> Value? {
        values.isEmpty ? nil : values[below(values.count)]
    }
}
