/// Exponential delays with full jitter: the n-th is uniform between zero and `base` · 2ⁿ, at most `cap`.
package struct Backoff: Hashable, Sendable {
    package let base: Duration
    package let cap: Duration
    /// Failures since the last `reset`.
    package private(set) var failures = 0

    package init(base: Duration, cap: Duration, failures: Int = 0) {
        self.base = base
        self.cap = cap
        self.failures = failures
    }

    package mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        let ceiling = min(cap, base * (1 << min(failures, 20)))
        failures += 1
        let microseconds = ceiling.components.seconds * 1_000_000 + ceiling.components.attoseconds / 1_000_000_000_000
        return .microseconds(Int64.random(in: 0...max(0, microseconds), using: &random))
    }

    package mutating func reset() { failures = 0 }
}
