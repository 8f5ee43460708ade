/// The result of a run's consistency check.
package struct Verdict: Hashable, Sendable {
    package var violations = Violations()
    /// Log events in the histories.
    package var events = 0
    /// Acks compared with the histories.
    package var acks = 0
    /// Memberships whose last position was compared with the histories.
    package var memberships = 0
    /// Unread counts compared.
    package var unreadCounts = 0
    /// Accepted events lost when the log started over; only if that was allowed.
    package var rolledBackAcks = 0

    /// Sends of broken classic sockets that are not stored: they were never acknowledged.
    package var sendsGone = 0

    package var isSound: Bool { violations.isEmpty }
}
