/// What all nodes that hold sockets of a user must know at once; travels on the user's own channel.
package enum ControlEvent: Hashable, Sendable {
    /// The user is a member from now on; the log is theirs to see after `after`.
    case added(Membership, after: Int64)
    case removed(ThreadID)
    /// A session is void: its sockets close with 4001.
    case sessionRevoked(TokenHash)
    /// The user is erased: all their sockets close with 4001.
    case erased
    /// Something of the user has changed that no other case tells, such as the password: what is known of them is to be
    /// read anew, at once. Nodes of an earlier version ignore it, and find out from the change feed.
    case changed
}
