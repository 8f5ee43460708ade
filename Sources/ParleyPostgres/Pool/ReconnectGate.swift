/// Decides when the next connection attempt may be made, as a value.
///
/// Exponential backoff with full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter", 2015): after the n-th
/// failure in a row the pause is random between zero and `base` · 2ⁿ⁻¹, at most `cap`, so that nodes do not reconnect in
/// step. Calls during the pause fail at once with the reason of the last attempt.
package struct ReconnectGate: Sendable {
    private let base: Duration
    private let cap: Duration
    private var failures = 0
    private var closed: (until: ContinuousClock.Instant, reason: PostgresError)?

    package init(base: Duration = .milliseconds(50), cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// Why no attempt may be made now; `nil` if one may.
    package func rejection(at now: ContinuousClock.Instant) -> PostgresError? {
        closed.flatMap { now < $0.until ? $0.reason : nil }
    }

    /// Records a failed attempt and closes the gate for a random pause.
    package mutating func failed(
        _ reason: PostgresError, at now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator
    ) {
        let ceiling = min(cap, base * (1 << min(failures, 20)))
        failures += 1
        closed = (now + ceiling * Double.random(in: 0...1, using: &generator), reason)
    }

    /// Records a successful attempt and opens the gate.
    package mutating func succeeded() {
        failures = 0
        closed = nil
    }
}
