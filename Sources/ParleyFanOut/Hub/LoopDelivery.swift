import ParleyModel
import ParleyWire

/// What the hub hands to a roster, in order.
enum LoopDelivery: Sendable {
    case frame(ThreadID, SharedFrame)
    /// The frame before this one is of a traced message.
    case traced(MessageID, ThreadID)
    /// The user is a member from now on and is delivered what comes above `after`. `replay` is what they should have
    /// seen and others here already have.
    case joined(UserID, Membership, after: Position?, replay: [SharedFrame], joinToken: UInt64)
    /// The user is a member no more, and gets nothing more.
    case removed(UserID, ThreadID)
    /// The user is a member no more, but gets what comes until `departed`.
    case leaving(UserID, ThreadID)
    /// A user who was leaving gets nothing more.
    case hasLeft(UserID, ThreadID)
    case sessionRevoked(UserID, TokenHash)
    /// The user is no more, and so are all sessions.
    case erased(UserID)
    /// How users stand, as read from the store; the roster answers under this number.
    case snapshots([UserSnapshot], update: UInt64)
    /// The store has the event at this place of the thread's log, whose sender wants to know.
    case stored(ThreadID, seq: Int64, epoch: Epoch?)
    /// The thread's numbering has started over.
    case renumbered(ThreadID, Renumbering)
    /// Something that is to happen on the loop between these deliveries.
    case reply(@Sendable () -> Void)
    /// Events of the thread are gone for good as far as this node is concerned.
    case lostTrack(ThreadID)
    /// A release crossed a grant on the way: if the thread has no members here, release it again.
    case confirm(ThreadID, joinToken: UInt64)
}
