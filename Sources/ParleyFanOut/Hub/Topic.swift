import ParleyModel

/// What the hub keeps of one topic that this node is subscribed to, or is about to be.
///
/// Bound to the home loop.
final class Topic {
    var interest = TopicInterest<HubCore.Waiter>()
    /// Only of use for a thread.
    var gate = SequenceGate()
    /// Users who are being taken into the thread.
    var pendingJoins: [PendingJoin] = []
    /// The last grant of the topic to any loop; see `HubCore`.
    var lastJoinToken: UInt64 = 0
    /// The last control event of the user that this topic is of, in the hub's count (`HubCore.controlEvents`).
    var lastControlEvent: UInt64 = 0
    /// When it was last found that nobody wants the topic, by the hub's clock.
    var unwantedSince: Int64 = 0
    /// Whether the hub has it on its list of topics to look at.
    var isListed = false

    var isWanted: Bool { !interest.loops.isEmpty || !pendingJoins.isEmpty }
}
