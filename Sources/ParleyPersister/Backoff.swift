/// How long to wait before the next attempt, as a value: it yields durations and never sleeps.
///
/// Exponential with full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter", 2015): the n-th wait is
/// anything from zero to `base` · 2ⁿ, at most `cap`, so that workers who failed together do not come back together.
package struct Backoff: Hashable, Sendable {
    /// The longest first wait.
    package let base: Duration
    /// The longest wait.
    package let cap: Duration
    /// Attempts that failed since the last `reset`.
    private(set) package var failures = 0

    /// Beyond this many doublings every base is above every cap.
    private static var mostDoublings: Int { 20 }

    package init(base: Duration = .milliseconds(50), cap: Duration = .seconds(5)) {
        self.base = base
        self.cap = cap
    }

    /// The wait after a further failure.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let ceiling = min(cap, base * (1 << min(failures, Self.mostDoublings)))
        failures += 1
        return .microseconds(Int64.random(in: 0...max(0, ceiling.microseconds), using: &generator))
    }

    /// An attempt succeeded.
    package mutating func reset() {
        failures = 0
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
