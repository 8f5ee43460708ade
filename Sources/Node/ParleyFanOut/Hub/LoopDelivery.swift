package import ParleyModel
package import ParleyWire

/// A delivery of the hub to a roster, in order.
package enum LoopDelivery: Sendable {
    case frame(ThreadID, SharedFrame)
    /// The previous frame belongs to a traced message.
    case traced(MessageID, ThreadID)
    /// The user is a member from now on, and receives the events above `after`. `replay` contains events that the user
    /// may see and that other members here have already received.
    case joined(UserID, Membership, after: Position?, replay: [SharedFrame], joinToken: UInt64)
    /// The user is no longer a member and receives no further events.
    case removed(UserID, ThreadID)
    /// The user is no longer a member and receives events until `hasLeft`.
    case leaving(UserID, ThreadID)
    /// A leaving user receives no further events.
    case hasLeft(UserID, ThreadID)
    case sessionRevoked(UserID, TokenHash)
    /// The user and all their sessions were erased.
    case erased(UserID)
    /// Snapshots of users from the store. The roster answers with the number of the update.
    case snapshots([UserSnapshot], update: UInt64)
    /// The store has the event at this position; its sender waits for that.
    case stored(ThreadID, seq: Int64, epoch: Epoch)
    /// The thread's numbering has started over.
    case renumbered(ThreadID, Renumbering)
    /// The thread was unavailable to some sockets and has recovered. Its deliveries continue above `after`, which is
    /// `nil` for a thread without events.
    case available(ThreadID, after: Position?)
    /// A closure to run on the loop between these deliveries.
    case reply(@Sendable () -> Void)
    /// This node has lost events of the thread.
    case lostTrack(ThreadID)
    /// A release crossed a `joined`. If the thread has no members on the loop, the loop releases it again.
    case confirm(ThreadID, joinToken: UInt64)
}
