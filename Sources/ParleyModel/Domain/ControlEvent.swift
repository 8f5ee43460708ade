/// A change that all nodes with sockets of a user must learn at once. It is published on the user's own channel.
package enum ControlEvent: Hashable, Sendable {
    /// The user is now a member and may read the log after `after`.
    case added(Membership, after: Int64)
    /// The user is no longer a member. `left` is the position of the `left` event, which the user's sockets receive
    /// before access ends; `nil` if the log has no such event, or not yet. Nodes of an earlier version send none.
    case removed(ThreadID, left: Position? = nil)
    /// An auth session has ended: its sockets close with 4001.
    case sessionRevoked(TokenHash)
    /// The user is erased: all their sockets close with 4001.
    case erased
    /// Some other state of the user has changed, such as the password: nodes reload it at once. Nodes of an earlier
    /// version ignore this event and learn of the change from the change feed.
    case changed
}
