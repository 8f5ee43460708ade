import ParleyModel

/// The hub's state of a subscribed thread.
struct ThreadTopic {
    var interest = TopicInterest<UInt64>()
    var gate = SequenceGate()
    /// Users who are being added to the thread.
    var pendingJoins: [PendingJoin] = []
    /// The token of the latest `joined` of the thread to any loop; see `Hub`.
    var lastJoinToken: UInt64 = 0
    /// Whether sockets know that the thread is unavailable; see `Hub.awaited`.
    var isAwaited = false

    var isWanted: Bool { !interest.loops.isEmpty || !pendingJoins.isEmpty }

    /// Notes an event that the gate has passed.
    /// - Returns: The loops to deliver it to.
    mutating func pass(_ event: LogEvent) -> LoopSet {
        for index in pendingJoins.indices { pendingJoins[index].record(event) }
        return interest.loops
    }
}

/// The hub's state of a user with a subscribed channel.
struct UserTopic {
    var interest = TopicInterest<UInt64>()
    /// The number of the user's latest control event (`Hub.controlEvents`).
    var lastControlEvent: UInt64 = 0
}

/// Topics that are requested together. The waiter is resumed once, when all of them are live or refused.
struct SubscriptionRequest {
    enum Purpose {
        case resume(waiter: UInt64)
        case join(PendingJoin)
    }

    let purpose: Purpose
    /// The number of topics that are neither live nor refused.
    var missing: Int
    /// The error of the last refused topic.
    var failure: BusError?
}
