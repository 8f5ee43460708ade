package import ParleyModel
package import ParleyWire

/// What the hub delivers to a roster, in order.
package enum LoopDelivery: Sendable {
    case frame(ThreadID, SharedFrame)
    /// The frame before this one is of a traced message.
    case traced(MessageID, ThreadID)
    /// The user is a member from now on and is delivered what comes above `after`. `replay` is what they are to see and
    /// other members here have seen already.
    case joined(UserID, Membership, after: Position?, replay: [SharedFrame], joinToken: UInt64)
    /// The user is no member any more and gets nothing more.
    case removed(UserID, ThreadID)
    /// The user is no member any more and gets what comes until `hasLeft`.
    case leaving(UserID, ThreadID)
    /// A user who was leaving gets nothing more.
    case hasLeft(UserID, ThreadID)
    case sessionRevoked(UserID, TokenHash)
    /// The user does not exist any more, nor do their sessions.
    case erased(UserID)
    /// Snapshots of users, as read from the store; the roster answers with the number of the update.
    case snapshots([UserSnapshot], update: UInt64)
    /// The store has the event at this position; its sender waits for that.
    case stored(ThreadID, seq: Int64, epoch: Epoch?)
    /// The thread's numbering has started over.
    case renumbered(ThreadID, Renumbering)
    /// The thread was unavailable to some sockets and no longer is; the deliveries of it continue above `after`, which is
    /// `nil` for a thread without events.
    case available(ThreadID, after: Position?)
    /// Something to do on the loop between these deliveries.
    case reply(@Sendable () -> Void)
    /// Events of the thread are lost to this node.
    case lostTrack(ThreadID)
    /// A release crossed a `joined`: if the thread has no members here, it is to be released again.
    case confirm(ThreadID, joinToken: UInt64)
}
