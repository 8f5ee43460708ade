/// What the comparison of everything with everything has given.
package struct Verdict: Hashable, Sendable {
    package var violations = Violations()
    /// Log events that the history has.
    package var events = 0
    /// Acks that were compared with the history.
    package var acks = 0
    /// Seats whose end was compared with the history.
    package var memberships = 0
    /// Unread counts that were compared.
    package var unreadCounts = 0
    /// Accepted, and gone when the log started over; only if that was allowed.
    package var rolledBackAcks = 0

    /// Sends of classic sockets that broke, and that are nowhere: nobody was told that they had arrived.
    package var sendsGone = 0

    package init() {}

    package var isSound: Bool { violations.isEmpty }
}
