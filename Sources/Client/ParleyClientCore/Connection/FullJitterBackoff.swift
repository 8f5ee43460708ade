/// Exponential delays with full jitter: the n-th delay is uniform between zero and `base` · 2ⁿ, at most `cap`.
package struct FullJitterBackoff: Hashable, Sendable {
    package let base: Duration
    package let cap: Duration
    /// The number of failures since the last `reset`.
    package private(set) var failures: Int

    package init(base: Duration, cap: Duration, failures: Int = 0) {
        self.base = base
        self.cap = cap
        self.failures = failures
    }

    /// Creates the delays between connection attempts.
    package init(_ policy: ReconnectPolicy, failures: Int = 0) {
        self.init(base: policy.base, cap: policy.cap, failures: failures)
    }

    package mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        let ceiling = min(cap, base * (1 << min(failures, 20)))
        failures += 1
        return .random(in: .zero...max(.zero, ceiling), using: &random)
    }

    package mutating func reset() { failures = 0 }
}

extension Duration {
    /// Returns a number of whole microseconds in a range, at most some thousand years.
    static func random(in range: ClosedRange<Duration>, using random: inout some RandomNumberGenerator) -> Duration {
        let (from, to) = (range.lowerBound.microseconds, range.upperBound.microseconds)
        return .microseconds(Int64.random(in: from...max(from, to), using: &random))
    }

    package var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
