import ParleyModel

/// What the hub keeps of a thread that the node is subscribed to, or is about to be.
struct ThreadTopic {
    var interest = TopicInterest<UInt64>()
    var gate = SequenceGate()
    /// Users who are being added to the thread.
    var pendingJoins: [PendingJoin] = []
    /// The last `joined` of the thread to any loop; see `Hub`.
    var lastJoinToken: UInt64 = 0
    /// Sockets were told that it is unavailable; see `Hub.awaited`.
    var isAwaited = false

    var isWanted: Bool { !interest.loops.isEmpty || !pendingJoins.isEmpty }

    /// The gate has let an event through.
    /// - Returns: the loops that get it.
    mutating func pass(_ event: LogEvent) -> LoopSet {
        for index in pendingJoins.indices { pendingJoins[index].record(event) }
        return interest.loops
    }
}

/// What the hub keeps of a user whose channel the node is subscribed to, or is about to be.
struct UserTopic {
    var interest = TopicInterest<UInt64>()
    /// The last control event of the user, in the hub's count (`Hub.controlEvents`).
    var lastControlEvent: UInt64 = 0
}

/// Topics that are wanted together; what follows happens once, when all of them are live or refused.
struct SubscriptionRequest {
    enum Purpose {
        case resume(waiter: UInt64)
        case join(PendingJoin)
    }

    let purpose: Purpose
    /// How many of the topics are neither live nor refused.
    var missing: Int
    /// Why the last topic that was refused was.
    var failure: BusError?
}
