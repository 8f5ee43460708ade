/// The delay before the next attempt: a random time up to a limit that doubles ("full jitter"), so that many nodes do
/// not reconnect in step. A value; it never sleeps.
package struct Backoff: Hashable, Sendable {
    private let base: Duration
    private let maximum: Duration
    private var attempts = 0

    package init(base: Duration = .milliseconds(50), maximum: Duration = .seconds(3)) {
        self.base = base
        self.maximum = maximum
    }

    /// The delay before the next attempt; doubles the limit.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let limit = min(maximum, base * (1 << min(attempts, 16)))
        attempts += 1
        return limit * Double.random(in: 0...1, using: &generator)
    }

    /// Starts over with the base limit, after a connection that proved usable.
    package mutating func reset() {
        attempts = 0
    }
}
