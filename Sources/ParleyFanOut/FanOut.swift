package import NIOCore
package import ParleyModel
import Synchronization

/// The way of events from the bus to the sockets of this node.
///
/// One event loop of the node is its **home**: there every event passes the `Hub`, in order. Every loop has a
/// `LoopRoster` with the sockets that live on it. The only lock on the way is the one around the inbox, between the bus
/// and the home loop; the home loop takes it once per burst.
package final class FanOut: Sendable {
    /// The event loops that sockets live on, at most `LoopSet.capacity`.
    package let loops: [any EventLoop]
    let home: any EventLoop
    let bus: any ThreadBus
    let log: any MessageLog
    let work: WorkPool
    let metrics: FanOutMetrics
    let tracer: Tracer
    let hub: NIOLoopBoundBox<HubDriver?>
    private let rosters: LoopRosters
    private let inbox = Mutex(BusInbox())
    private let threads = ThreadCount()

    /// How many signals of the bus are handled before the home loop does something else.
    private static let signalsAtOnce = 1024
    /// In how many turns all threads are compared with their logs.
    private static let headCheckParts = 30
    /// How long the bus waits for an overloaded loop before it is checked again.
    private static let backlogPause = TimeAmount.milliseconds(1)

    /// - Parameters:
    ///   - loops: the first of them is the home loop.
    ///   - work: runs the reading of the log; the caller calls its `run`.
    package init(
        loops: [any EventLoop], bus: any ThreadBus, log: any MessageLog, work: WorkPool, metrics: FanOutMetrics,
        tracer: Tracer = .off
    ) {
        precondition(!loops.isEmpty && loops.count <= LoopSet.capacity, "no event loops, or too many")
        self.loops = loops
        self.home = loops[0]
        self.bus = bus
        self.log = log
        self.work = work
        self.metrics = metrics
        self.tracer = tracer
        metrics.runs(on: loops.count)
        hub = .makeEmptyBox(eventLoop: loops[0])
        rosters = LoopRosters(loops: loops)
    }

    /// Attaches to the bus. To be called once, before any user is admitted.
    /// - Parameters:
    ///   - linger: how long an unwanted topic stays subscribed.
    ///   - headCheck: the time in which every thread is compared with its log once, which finds a lost event that no
    ///     other event follows; `nil` for a bus that loses none.
    ///   - leaveTimeout: how long the sockets of a user who is out of a thread wait for the `left` that says so; they
    ///     have no rights meanwhile.
    ///   - timeout: how long to wait before each further attempt to read the log while it is unavailable; half a minute
    ///     in all if not given.
    ///   - observer: called for each signal of the bus before it is handled, on the bus's thread: it must be quick.
    ///   - resubscribed: called on the home loop when the bus was cut and is back: control events may be missing.
    ///   - reloadUser: called on the home loop when a user of this node is to be compared with the store: at once after
    ///     a control event, or when there is time, if they could not be added to a thread.
    package func start(
        linger: TimeAmount = .seconds(1), headCheck: TimeAmount? = nil, leaveTimeout: TimeAmount = .seconds(1),
        timeout: [Duration]? = nil,
        observer: @escaping @Sendable (BusSignal) -> Void = { _ in },
        resubscribed: @escaping @Sendable () -> Void = {},
        reloadUser: @escaping @Sendable (UserID, _ isUrgent: Bool) -> Void = { _, _ in }
    ) async throws {
        for (index, loop) in loops.enumerated() {
            try await loop.submit { [self] in
                rosters[index] = LoopRoster(
                    metrics: metrics, tracer: tracer,
                    releaseTopics: { [self] topics, token in
                        onHub {
                            $0.handle { hub, now, actions in
                                hub.released(topics, by: index, seenJoinToken: token, at: now, &actions)
                            }
                        }
                    },
                    updated: { [self] update, outcome in
                        onHub { $0.handle { hub, actions in hub.updated(update, outcome, &actions) } }
                    })
            }.get()
        }
        let log = RetryingLog(log: log, timeout: timeout ?? RetryingLog.timeout)
        try await home.submit { [self] in
            hub.value = HubDriver(
                on: home, bus: bus, work: work, metrics: metrics, rosters: rosters, threadCount: threads,
                hub: Hub(
                    loops: loops.count, linger: linger.nanoseconds, leaveTimeout: leaveTimeout.nanoseconds,
                    reach: HubReach(
                        isReceiving: { [bus] in bus.isReceiving($0) }, isReachable: { [bus] in bus.isReachable($0) })),
                log: log, resubscribed: resubscribed, reloadUser: reloadUser)
            guard let headCheck else { return }
            let part = TimeAmount.nanoseconds(headCheck.nanoseconds / Int64(Self.headCheckParts))
            home.scheduleRepeatedTask(initialDelay: part, delay: part) { [weak self] task in
                guard let self else { return task.cancel() }
                hub.value?.handle { hub, actions in hub.checkHeads(parts: Self.headCheckParts, &actions) }
            }
        }.get()
        bus.attach { [self] signal in
            observer(signal)
            // The observer of presence takes it.
            if case .presence = signal { return }
            receive(signal)
        }
    }

    /// The roster of a loop; to be called on that loop, after `start`.
    package func roster(_ loop: Int) -> LoopRoster { rosters[loop] }

    /// The index of an event loop among `loops`.
    package func index(of loop: any EventLoop) -> Int? {
        loops.firstIndex { $0 === loop }
    }

    // MARK: Topics and positions

    /// How many topics the node is subscribed to, or is about to be.
    package func topicCount() async throws -> Int {
        try await home.submit { [self] in hub.value?.read(\.topicCount) ?? 0 }.get()
    }

    /// How many threads the node is subscribed to, or is about to be.
    package var threadCount: Int { threads.value.load(ordering: .relaxed) }

    /// Replies up to where threads have been delivered to a loop: what was delivered there before is up to these
    /// positions, what comes later is above them.
    /// - Parameter reply: called on that loop.
    package func ends(
        of threads: [ThreadID], on loop: Int, _ reply: @escaping @Sendable (ThreadEnds) -> Void
    ) {
        onHub { $0.ends(of: threads, on: loop, reply) }
    }

    /// Those of the threads that are unavailable at the moment; their sockets are told when that ends.
    package func unavailable(among threads: [ThreadID]) -> Set<ThreadID> {
        guard bus.reach != .all else { return [] }
        let unavailable = Set(threads.filter { !bus.isReachable($0) })
        if !unavailable.isEmpty { onHub { $0.handle { hub, actions in hub.awaitReturn(of: unavailable, &actions) } } }
        return unavailable
    }

    /// How far this node is in threads, for reports; to be called after `start`.
    /// - Returns: the newest event that was delivered of each thread that the node is subscribed to, or is about to be;
    ///   `nil` for a thread without any.
    package func progress(in threads: [ThreadID]) async -> [ThreadID: Position?] {
        await readHub { $0.progress(in: threads) }
    }

    // MARK: Hops

    /// From any thread to the hub.
    func onHub(_ body: @escaping @Sendable (HubDriver) -> Void) {
        home.execute { [self] in
            if let hub = hub.value { body(hub) }
        }
    }

    func readHub<Value: Sendable>(_ body: @escaping @Sendable (Hub) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            onHub { continuation.resume(returning: $0.read(body)) }
        }
    }

    /// From the bus, on any thread: one hop for all signals that come before the home loop takes them.
    private func receive(_ signal: BusSignal) {
        if case .event(let event) = signal, let message = event.tracedMessage { tracer.stamp(.received, message) }
        let isFirst = inbox.withLock { $0.put(signal) }
        guard isFirst else { return }
        let came = NIODeadline.now()
        home.execute { [self] in
            metrics.tookUp(after: .now() - came)
            emptyInbox()
        }
    }

    /// Passes the inbox to the hub in parts, between which the home loop can do something else.
    ///
    /// Nothing is passed while a loop is overloaded, so that the wait is in the inbox, which is bounded.
    private func emptyInbox() {
        guard let hub = hub.value else { return }
        guard !rosters.isOverloaded else {
            home.scheduleTask(in: Self.backlogPause) { [self] in emptyInbox() }
            return
        }
        let (signals, isMore) = inbox.withLock { $0.take(atMost: Self.signalsAtOnce) }
        metrics.took(signals.first)
        hub.receive(signals)
        if isMore { home.execute { [self] in emptyInbox() } }
    }
}
