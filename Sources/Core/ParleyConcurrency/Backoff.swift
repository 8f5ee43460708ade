/// A retry policy as a value: it yields delays and never sleeps.
///
/// Exponential with full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter", 2015): the n-th delay is
/// uniform between zero and `base` · 2ⁿ, at most `cap`, so that workers that failed together do not retry together.
package struct Backoff: Hashable, Sendable {
    /// Maximum first delay.
    package let base: Duration
    /// Maximum delay.
    package let cap: Duration
    /// Failed attempts since the last `reset`.
    private(set) package var failures = 0

    /// After this many doublings every base exceeds every cap.
    private static var mostDoublings: Int { 20 }

    package init(base: Duration = .milliseconds(50), cap: Duration = .seconds(5)) {
        self.base = base
        self.cap = cap
    }

    /// The delay after another failure.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let ceiling = min(cap, base * (1 << min(failures, Self.mostDoublings)))
        failures += 1
        return .microseconds(Int64.random(in: 0...max(0, ceiling.microseconds), using: &generator))
    }

    /// Resets the delays after a success.
    package mutating func reset() {
        failures = 0
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
