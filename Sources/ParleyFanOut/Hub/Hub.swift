package import ParleyModel
package import ParleyWire

/// The place of this node that every event of the bus passes, in order, as a value.
///
/// - keeps which event loops want which topics, and derives the subscriptions of the node;
/// - passes the events of each thread through its `SequenceGate`, and fills gaps from the log;
/// - encodes an event once and delivers it to each loop that wants it;
/// - adds users to threads while events flow, so that they miss no event and see none twice.
///
/// Its methods take events and append actions to `HubActions`, which `HubDriver` performs. A waiter is identified by a
/// number that the driver chooses.
///
/// **Join tokens.** A loop releases a thread when its last member there leaves. A `joined` on its way to that loop at
/// the same moment would lose its interest. So each `joined` carries a number, a release carries the highest number
/// that its loop has seen, and a release that has not seen the last `joined` of the thread is sent back (`confirm`).
package struct Hub: Sendable {
    /// How many event loops the node has.
    let loopCount: Int
    /// How long an unwanted topic stays subscribed, in nanoseconds: users often come back soon.
    let linger: Int64
    /// How long a `left` is awaited by the user whose it is, in nanoseconds.
    let leaveTimeout: Int64

    /// The threads that the node is subscribed to, or is about to be.
    var threads: [ThreadID: ThreadTopic] = [:]
    /// The users whose channel the node is subscribed to, or is about to be.
    var users: [UserID: UserTopic] = [:]
    /// Topics without interest, and since when; some have become wanted again.
    var unwanted: [BusTopic: Int64] = [:]
    var isSweepScheduled = false
    /// Requests for topics of which some are not live.
    var requests: [UInt64: SubscriptionRequest] = [:]
    var requestCount: UInt64 = 0
    /// Threads still to be compared with their logs in this round.
    var unchecked: [ThreadID] = []

    var encodings = EncodingCounts()

    var joinCount: UInt64 = 0
    /// Who waits for a pending join, by its number.
    var joinWaiters: [UInt64: [UInt64]] = [:]
    var joinTokens: UInt64 = 0
    /// Users of this node who are leaving threads, each once per thread, for `leaveTimeout` at most.
    var pendingLeaves: [ThreadID: [PendingLeave]] = [:]
    var leaveCount: UInt64 = 0
    /// How many control events have come for users of this node. A reader of the store that notes the number before the
    /// read can determine afterwards whether a user has changed meanwhile.
    package internal(set) var controlEvents: UInt64 = 0
    /// Snapshots on their way through the loops.
    var updates: [UInt64: SnapshotUpdate] = [:]
    /// Threads that sockets were told are unavailable; they are told when that ends.
    var awaited: Set<ThreadID> = []
    /// Asks the bus whether threads are reachable.
    let reach: HubReach

    /// - Parameters:
    ///   - loops: how many event loops the node has.
    ///   - linger: how long an unwanted topic stays subscribed, in nanoseconds.
    ///   - leaveTimeout: how long a `left` is awaited, in nanoseconds; see `FanOut.start`.
    package init(loops: Int, linger: Int64, leaveTimeout: Int64, reach: HubReach = HubReach()) {
        self.reach = reach
        loopCount = loops
        self.linger = linger
        self.leaveTimeout = leaveTimeout
    }

    /// A socket of this encoding is about to be registered.
    package mutating func add(_ encoding: Encoding) {
        encodings.add(encoding)
    }

    /// A socket of this encoding is gone.
    package mutating func remove(_ encoding: Encoding) {
        encodings.remove(encoding)
    }

    // MARK: Signals of the bus

    /// The bus has delivered signals.
    /// - Parameter now: nanoseconds by a clock that never goes back.
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
            // The presence registry takes it from the bus; members of threads get nothing of it.
            break
        case .resubscribed:
            catchUp(&actions)
            actions.append(.reportResubscription)
        }
    }

    /// The loops that want a thread; `nil` if there are none.
    private func interestedLoops(in thread: ThreadID) -> LoopSet? {
        guard let index = threads.index(forKey: thread) else { return nil }
        let loops = threads.values[index].interest.loops
        return loops.isEmpty ? nil : loops
    }

    /// An event has come, from the bus or from the log ahead of the bus.
    mutating func received(_ event: LogEvent, _ actions: inout HubActions) {
        // One hash of the key, and the topic is changed in place.
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

    /// Passes an event to every loop that wants it, and ends the leaves that it is the end of.
    mutating func pass(_ event: LogEvent, _ actions: inout HubActions) {
        if !pendingLeaves.isEmpty { endPendingLeaves(before: event, &actions) }
        // The end of a leave may begin a join, so an index from before may be invalid.
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

/// What the hub asks the bus; see `ThreadBus`. None of it waits.
package struct HubReach: Sendable {
    /// Whether events of a thread are received.
    var isReceiving: @Sendable (ThreadID) -> Bool
    /// Whether events of a thread are received, and its log can be read.
    var isReachable: @Sendable (ThreadID) -> Bool

    package init(
        isReceiving: @escaping @Sendable (ThreadID) -> Bool = { _ in true },
        isReachable: @escaping @Sendable (ThreadID) -> Bool = { _ in true }
    ) {
        self.isReceiving = isReceiving
        self.isReachable = isReachable
    }
}

/// The encodings of the sockets of this node; an event is encoded for those and no others.
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
