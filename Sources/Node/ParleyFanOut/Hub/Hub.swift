package import ParleyModel
package import ParleyWire

/// Receives every event of the bus on this node in order, as a value.
///
/// - It records the event loops that want each topic, and derives the node's subscriptions from them.
/// - It passes the events of each thread through the thread's `SequenceGate`, and fills gaps from the log.
/// - It encodes an event once, and delivers it to each loop that wants it.
/// - It adds users to threads while events arrive, so that they receive each event exactly once.
///
/// Its methods take events and append actions to `HubActions`, which `HubDriver` performs. The driver chooses a number
/// to identify each waiter.
///
/// **Join tokens.** A loop releases a thread when the last member on it leaves. A `joined` delivery to that loop at the
/// same moment would lose its interest. Each `joined` therefore carries a number, and a release carries the highest
/// number that its loop has seen. A release that has not seen the latest `joined` of the thread is sent back
/// (`confirm`).
package struct Hub: Sendable {
    /// The number of event loops.
    let loopCount: Int
    /// The time that an unwanted topic stays subscribed, in nanoseconds. Users often reconnect soon.
    let linger: Int64
    /// The maximum time that a user waits for their own `left` event, in nanoseconds.
    let leaveTimeout: Int64

    /// The threads that the node is subscribed to or is subscribing to.
    var threads: [ThreadID: ThreadTopic] = [:]
    /// The users whose channel the node is subscribed to or is subscribing to.
    var users: [UserID: UserTopic] = [:]
    /// Topics without interest, with the time that they became unwanted. Some may be wanted again.
    var unwanted: [BusTopic: Int64] = [:]
    var isSweepScheduled = false
    /// Requests that have topics that are not live yet.
    var requests: [UInt64: SubscriptionRequest] = [:]
    var requestCount: UInt64 = 0
    /// The threads that this round of the head check has not compared yet.
    var unchecked: [ThreadID] = []

    var encodings = EncodingCounts()

    var joinCount: UInt64 = 0
    /// The waiters of each pending join, by its number.
    var joinWaiters: [UInt64: [UInt64]] = [:]
    var joinTokens: UInt64 = 0
    /// Users of this node who are leaving threads, at most once per thread and for `leaveTimeout`.
    var pendingLeaves: [ThreadID: [PendingLeave]] = [:]
    var leaveCount: UInt64 = 0
    /// The number of control events for users of this node. A reader of the store notes the number before the read, and
    /// later compares it to find out whether a user has changed in the meantime.
    package internal(set) var controlEvents: UInt64 = 0
    /// Snapshots that the loops are applying.
    var updates: [UInt64: SnapshotUpdate] = [:]
    /// Threads that sockets know to be unavailable. The sockets are notified when they recover.
    var awaited: Set<ThreadID> = []
    /// Queries the bus for the reachability of threads.
    let reach: HubReach

    /// - Parameters:
    ///   - loops: The number of event loops.
    ///   - linger: The time that an unwanted topic stays subscribed, in nanoseconds.
    ///   - leaveTimeout: The maximum wait for a `left` event, in nanoseconds; see `FanOut.start`.
    package init(loops: Int, linger: Int64, leaveTimeout: Int64, reach: HubReach = HubReach()) {
        self.reach = reach
        loopCount = loops
        self.linger = linger
        self.leaveTimeout = leaveTimeout
    }

    /// Counts a socket of this encoding that is about to be registered.
    package mutating func add(_ encoding: Encoding) {
        encodings.add(encoding)
    }

    /// Counts a closed socket of this encoding.
    package mutating func remove(_ encoding: Encoding) {
        encodings.remove(encoding)
    }

    // MARK: Signals of the bus

    /// Handles signals of the bus.
    /// - Parameter now: The monotonic time in nanoseconds.
    package mutating func received(_ signals: [BusSignal], at now: Int64, _ actions: inout HubActions) {
        for signal in signals { received(signal, at: now, &actions) }
    }

    private mutating func received(_ signal: BusSignal, at now: Int64, _ actions: inout HubActions) {
        switch signal {
        case .event(let event):
            received(event, &actions)
        case .ephemeral(.stored(let seq, let epoch), let thread):
            guard let loops = interestedLoops(in: thread) else { return }
            actions.deliver(.stored(thread, seq: seq, epoch: epoch), to: loops)
        case .ephemeral(let event, let thread):
            guard let loops = interestedLoops(in: thread) else { return }
            actions.deliver(.frame(thread, SharedFrame(event, in: thread, for: encodings.inUse)), to: loops)
        case .foreign(let event, let thread):
            guard let loops = interestedLoops(in: thread) else { return }
            actions.deliver(.frame(thread, SharedFrame(event, for: encodings.inUse)), to: loops)
        case .control(let event, let user):
            received(event, of: user, at: now, &actions)
        case .presence:
            // The presence registry receives this signal from the bus. Members of threads do not need it.
            break
        case .resubscribed:
            catchUp(&actions)
            actions.append(.reportResubscription)
        }
    }

    /// Returns the loops that want a thread; `nil` if there are none.
    private func interestedLoops(in thread: ThreadID) -> LoopSet? {
        guard let index = threads.index(forKey: thread) else { return nil }
        let loops = threads.values[index].interest.loops
        return loops.isEmpty ? nil : loops
    }

    /// Handles an event from the bus, or from the log ahead of the bus.
    mutating func received(_ event: LogEvent, _ actions: inout HubActions) {
        // This hashes the key once and changes the topic in place.
        guard let index = threads.index(forKey: event.thread) else { return }
        switch threads.values[index].gate.offer(event) {
        case .deliver:
            if threads.values[index].isAwaited {
                becameAvailable(
                    event.thread, at: Position(epoch: event.position.epoch, seq: event.position.seq - 1), &actions)
            }
            guard pendingLeaves.isEmpty else { return pass(event, &actions) }
            deliver(event, to: threads.values[index].pass(event), &actions)
        case .ignore:
            actions.append(.count(.repeated))
        case .hold:
            break
        case .repair(let after):
            actions.append(.count(.gap))
            actions.append(.readEvents(event.thread, after: after))
        }
    }

    /// Passes an event to every loop that wants it, and ends the leaves that it completes.
    mutating func pass(_ event: LogEvent, _ actions: inout HubActions) {
        if !pendingLeaves.isEmpty { endPendingLeaves(before: event, &actions) }
        // The end of a leave may begin a join, so an earlier index may be invalid.
        guard let index = threads.index(forKey: event.thread) else { return }
        let loops = threads.values[index].pass(event)
        guard !loops.isEmpty else { return }
        deliver(event, to: loops, &actions)
        if !pendingLeaves.isEmpty { endPendingLeaves(with: event, &actions) }
    }

    private func deliver(_ event: LogEvent, to loops: LoopSet, _ actions: inout HubActions) {
        guard !loops.isEmpty else { return }
        actions.deliver(.frame(event.thread, SharedFrame(event, for: encodings.inUse)), to: loops)
        if let message = event.tracedMessage { actions.deliver(.traced(message, event.thread), to: loops) }
    }

    /// Delivers to the loops that have sockets of a user.
    func deliver(_ delivery: LoopDelivery, to user: UserID, _ actions: inout HubActions) {
        if let loops = users[user]?.interest.loops { actions.deliver(delivery, to: loops) }
    }
}

/// The queries of the hub to the bus; see `ThreadBus`. They do not wait.
package struct HubReach: Sendable {
    /// Returns whether the node receives the events of a thread.
    var isReceiving: @Sendable (ThreadID) -> Bool
    /// Returns whether the node receives the events of a thread and can read its log.
    var isReachable: @Sendable (ThreadID) -> Bool

    package init(
        isReceiving: @escaping @Sendable (ThreadID) -> Bool = { _ in true },
        isReachable: @escaping @Sendable (ThreadID) -> Bool = { _ in true }
    ) {
        self.isReceiving = isReceiving
        self.isReachable = isReachable
    }
}

/// The encodings of this node's sockets. Events are encoded only for these.
package struct EncodingCounts: Sendable {
    private var counts = [Int](repeating: 0, count: Encoding.count)
    package private(set) var inUse = EncodingSet()

    package init() {}

    package mutating func add(_ encoding: Encoding) {
        counts[encoding.index] += 1
        inUse.insert(encoding)
    }

    package mutating func remove(_ encoding: Encoding) {
        counts[encoding.index] -= 1
        if counts[encoding.index] == 0 { inUse.remove(encoding) }
    }
}
