/// What all nodes that hold sockets of a user must know at once; travels on the user's own channel.
package enum ControlEvent: Hashable, Sendable {
    /// The user is a member from now on; the log is theirs to see after `after`.
    case added(Membership, after: Int64)
    /// The user is a member no more. `left` is where the log says so, which their sockets are to see before they are out;
    /// `nil` if the log does not say it, or does not say it yet. Nodes of an earlier version give none.
    case removed(ThreadID, left: Position? = nil)
    /// A session is void: its sockets close with 4001.
    case sessionRevoked(TokenHash)
    /// The user is erased: all their sockets close with 4001.
    case erased
    /// Something of the user has changed that no other case tells, such as the password: what is known of them is to be
    /// read anew, at once. Nodes of an earlier version ignore it, and find out from the change feed.
    case changed
}
