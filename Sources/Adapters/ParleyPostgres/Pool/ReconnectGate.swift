import ParleyConcurrency

/// When the next attempt to connect may be made, as a value.
///
/// The pauses are those of a `Backoff`. Calls in a pause fail at once with the reason of the last attempt.
package struct ReconnectGate: Sendable {
    private var backoff: Backoff
    private var closed: (until: ContinuousClock.Instant, reason: PostgresError)?

    package init(base: Duration = .milliseconds(50), cap: Duration) {
        backoff = Backoff(base: base, cap: cap)
    }

    /// Why no attempt may be made now; `nil` if one may.
    package func rejection(at now: ContinuousClock.Instant) -> PostgresError? {
        closed.flatMap { now < $0.until ? $0.reason : nil }
    }

    /// Records a failed attempt and closes the gate for a random pause.
    package mutating func failed(
        _ reason: PostgresError, at now: ContinuousClock.Instant, using generator: inout some RandomNumberGenerator
    ) {
        closed = (now + backoff.next(using: &generator), reason)
    }

    /// Records a successful attempt and opens the gate.
    package mutating func succeeded() {
        backoff.reset()
        closed = nil
    }
}
