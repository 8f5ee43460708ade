import ParleyModel
import ParleyWire

/// What the hub hands to a roster, in order.
enum LoopDelivery: Sendable {
    case frame(ThreadID, SharedFrame)
    /// The user is a member from now on. `replay` is what they should have seen and others here already have.
    case joined(UserID, Membership, replay: [SharedFrame], grant: UInt64)
    case removed(UserID, ThreadID)
    case sessionRevoked(UserID, TokenHash)
    /// Events of the thread are gone for good as far as this node is concerned.
    case lostTrack(ThreadID)
    /// A release crossed a grant on the way: if the thread has no members here, release it again.
    case confirm(ThreadID, grant: UInt64)
}
