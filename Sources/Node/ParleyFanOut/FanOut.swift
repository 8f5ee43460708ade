package import NIOCore
package import ParleyModel
import Synchronization

/// Carries events from the bus to the sockets of this node.
///
/// One event loop of the node is the **home loop**. Every event passes the `Hub` there, in order. Every loop has a
/// `LoopRoster` with its sockets. The path contains a single lock, around the inbox between the bus and the home loop.
/// The home loop takes it once per burst.
package final class FanOut: Sendable {
    /// The event loops with sockets, at most `LoopSet.capacity`.
    package let loops: [any EventLoop]
    let home: any EventLoop
    let bus: any ThreadBus
    let log: any MessageLog
    let work: WorkPool
    let metrics: FanOutMetrics
    let tracer: Tracer
    let noteSent: @Sendable (ThreadID, SentMark) -> Void
    let hub: NIOLoopBoundBox<HubDriver?>
    private let rosters: LoopRosters
    private let inbox = Mutex(BusInbox())
    private let threads = ThreadCount()

    /// The number of bus signals that are handled before the home loop yields.
    private static let signalsAtOnce = 1024
    /// The number of rounds in which all threads are compared with their logs.
    private static let headCheckParts = 30
    /// The interval at which an overloaded loop is checked while the bus waits for it.
    private static let backlogPause = TimeAmount.milliseconds(1)

    /// - Parameters:
    ///   - loops: The event loops; the first is the home loop.
    ///   - work: Runs the reads of the log. The caller calls its `run`.
    ///   - noteSent: Called for each message that is delivered in a room with a slow mode, once on each loop with members.
    package init(
        loops: [any EventLoop], bus: any ThreadBus, log: any MessageLog, work: WorkPool, metrics: FanOutMetrics,
        tracer: Tracer = .off, noteSent: @escaping @Sendable (ThreadID, SentMark) -> Void = { _, _ in }
    ) {
        self.noteSent = noteSent
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

    /// Attaches to the bus. Call this method once, before any user is admitted.
    /// - Parameters:
    ///   - linger: The time that an unwanted topic stays subscribed.
    ///   - headCheck: The time in which every thread is compared with its log once. The comparison finds a lost event
    ///     that no other event follows. `nil` for a bus that loses no events.
    ///   - leaveTimeout: The time that the sockets of a removed user wait for their `left` event. They have no rights
    ///     during this time.
    ///   - timeout: The waits before further attempts to read the log while it is unavailable; half a minute in total
    ///     by default.
    ///   - observer: Called for each signal of the bus before it is handled, on the bus's thread. It must be quick.
    ///   - resubscribed: Called on the home loop after the bus was interrupted and has recovered. Control events may be
    ///     missing.
    ///   - reloadUser: Called on the home loop to compare a user of this node with the store: immediately after a
    ///     control event, or later if the user could not be added to a thread.
    package func start(
        linger: TimeAmount = .seconds(1), headCheck: TimeAmount? = nil, leaveTimeout: TimeAmount = .seconds(1),
        timeout: [Duration]? = nil,
        observer: @escaping @Sendable (BusSignal) -> Void = { _ in },
        resubscribed: @escaping @Sendable () -> Void = {},
        reloadUser: @escaping @Sendable (UserID, _ isUrgent: Bool) -> Void = { _, _ in }
    ) async throws {
        for (index, loop) in loops.enumerated() {
            try await loop.submit { [self] in rosters[index] = makeRoster(index) }.get()
        }
        let log = RetryingLog(log: log, timeout: timeout ?? RetryingLog.timeout)
        let reach = HubReach(
            isReceiving: { [bus] in bus.isReceiving($0) }, isReachable: { [bus] in bus.isReachable($0) })
        try await home.submit { [self] in
            hub.value = HubDriver(
                on: home, bus: bus, work: work, metrics: metrics, rosters: rosters, threadCount: threads,
                hub: Hub(
                    loops: loops.count, linger: linger.nanoseconds, leaveTimeout: leaveTimeout.nanoseconds,
                    reach: reach),
                log: log, resubscribed: resubscribed, reloadUser: reloadUser)
        }.get()
        if let headCheck { checkHeads(within: headCheck) }
        bus.attach { [self] signal in
            observer(signal)
            // The observer handles presence.
            if case .presence = signal { return }
            receive(signal)
        }
    }

    /// The roster of a loop, which reports to the hub.
    private func makeRoster(_ loop: Int) -> LoopRoster {
        LoopRoster(
            metrics: metrics, tracer: tracer, noteSent: noteSent,
            releaseTopics: { [self] in released($0, by: loop, seenJoinToken: $1) },
            updated: { [self] in updated($0, $1) })
    }

    private func released(_ topics: [BusTopic], by loop: Int, seenJoinToken token: UInt64) {
        handle { hub, now, actions in hub.released(topics, by: loop, seenJoinToken: token, at: now, &actions) }
    }

    private func updated(_ update: UInt64, _ outcome: SnapshotOutcome) {
        handle { hub, _, actions in hub.updated(update, outcome, &actions) }
    }

    /// Compares every thread with its log once in this time, in parts.
    private func checkHeads(within time: TimeAmount) {
        let part = TimeAmount.nanoseconds(time.nanoseconds / Int64(Self.headCheckParts))
        home.scheduleRepeatedTask(initialDelay: part, delay: part) { [weak self] task in
            guard let hub = self?.hub.value else { return task.cancel() }
            hub.handle { hub, actions in hub.checkHeads(parts: Self.headCheckParts, &actions) }
        }
    }

    /// The roster of a loop; to be called on that loop, after `start`.
    package func roster(_ loop: Int) -> LoopRoster { rosters[loop] }

    /// The index of an event loop among `loops`.
    package func index(of loop: any EventLoop) -> Int? {
        loops.firstIndex { $0 === loop }
    }

    // MARK: Topics and positions

    /// Returns the number of topics that the node is subscribed to or is subscribing to.
    package func topicCount() async throws -> Int {
        try await home.submit { [self] in hub.value?.read(\.topicCount) ?? 0 }.get()
    }

    /// The number of threads that the node is subscribed to or is subscribing to.
    package var threadCount: Int { threads.value.load(ordering: .relaxed) }

    /// Replies with the positions that threads have reached on a loop. Earlier deliveries on the loop are at or below
    /// these positions, later ones are above.
    /// - Parameter reply: Called on that loop.
    package func ends(
        of threads: [ThreadID], on loop: Int, _ reply: @escaping @Sendable (ThreadEnds) -> Void
    ) {
        onHub { $0.ends(of: threads, on: loop, reply) }
    }

    /// Returns the given threads that are unavailable at the moment. Their sockets are notified when the threads
    /// recover.
    package func unavailable(among threads: [ThreadID]) -> Set<ThreadID> {
        guard bus.reach != .all else { return [] }
        let unavailable = Set(threads.filter { !bus.isReachable($0) })
        if !unavailable.isEmpty { handle { hub, _, actions in hub.awaitReturn(of: unavailable, &actions) } }
        return unavailable
    }

    /// Returns the progress of this node in threads, for reports. Call this method after `start`.
    /// - Returns: The latest delivered event of each thread that the node is subscribed to or is subscribing to; `nil`
    ///   for a thread without events.
    package func progress(in threads: [ThreadID]) async -> [ThreadID: Position?] {
        await readHub { $0.progress(in: threads) }
    }

    // MARK: Hops

    /// Calls the hub from any thread.
    func onHub(_ body: @escaping @Sendable (HubDriver) -> Void) {
        home.execute { [self] in
            if let hub = hub.value { body(hub) }
        }
    }

    /// Passes an event to the hub, from any thread.
    func handle(_ body: @escaping @Sendable (_ hub: inout Hub, _ now: Int64, _ actions: inout HubActions) -> Void) {
        onHub { $0.handle(body) }
    }

    func readHub<Value: Sendable>(_ body: @escaping @Sendable (Hub) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            onHub { continuation.resume(returning: $0.read(body)) }
        }
    }

    /// Receives a signal of the bus on any thread. One hop serves all signals that arrive before the home loop takes
    /// them.
    private func receive(_ signal: BusSignal) {
        if case .event(let event) = signal, let message = event.tracedMessage { tracer.stamp(.received, message) }
        let isFirst = inbox.withLock { $0.put(signal) }
        guard isFirst else { return }
        let came = NIODeadline.now()
        home.execute { [self] in
            metrics.recordWait(.now() - came)
            emptyInbox()
        }
    }

    /// Passes the inbox to the hub in parts. The home loop can do other work between them.
    ///
    /// While a loop is overloaded, signals stay in the inbox, which is bounded.
    private func emptyInbox() {
        guard let hub = hub.value else { return }
        guard !rosters.isOverloaded else {
            home.scheduleTask(in: Self.backlogPause) { [self] in emptyInbox() }
            return
        }
        let (signals, isMore) = inbox.withLock { $0.take(atMost: Self.signalsAtOnce) }
        metrics.recordAge(of: signals.first)
        hub.receive(signals)
        if isMore { home.execute { [self] in emptyInbox() } }
    }
}
