import ParleyConcurrency

/// A value that determines when the next attempt to connect may be made.
///
/// `Backoff` determines the pauses. Calls during a pause fail immediately, with the reason of the last attempt.
package struct ReconnectGate: Sendable {
    private var backoff: Backoff
    private var closed: (until: ContinuousClock.Instant, reason: PostgresError)?

    package init(base: Duration = .milliseconds(50), cap: Duration) {
        backoff = Backoff(base: base, cap: cap)
    }

    /// Returns the reason for which no attempt may be made now; `nil` if an attempt may be made.
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
