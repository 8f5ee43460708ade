package import NIOCore
package import ParleyModel
package import ParleyWire
import Synchronization

/// Who in this process wants which thread: the way from the bus to the sockets of a node.
///
/// One event loop of the node is its **home**: there every event passes `HubCore`, in order. Every loop has a
/// `LoopRoster` with the sockets that live on it. Nothing on the way is locked but the door between the bus and the
/// home loop, which is passed once per burst.
package final class FanOut: Sendable {
    /// The event loops that sockets live on, at most `LoopSet.capacity`.
    package let loops: [any EventLoop]
    let home: any EventLoop
    let bus: any ThreadBus
    let log: any MessageLog
    let work: WorkPool
    let metrics: FanOutMetrics
    let tracer: Tracer
    private let hub: NIOLoopBoundBox<HubCore?>
    private let rosters: [NIOLoopBoundBox<LoopRoster?>]
    private let backlogs: [LoopBacklog]
    private let inbox = Mutex(BusInbox())
    private let threads = Atomic<Int>(0)

    /// How many signals of the bus are handled before the home loop does something else.
    private static let signalsAtOnce = 1024
    /// In how many turns all threads are compared with their logs.
    private static let headCheckParts: Int64 = 30
    /// How long the bus waits for a loop that has too much to do, before it is looked at again.
    private static let backlogPause = TimeAmount.milliseconds(1)

    /// - Parameters:
    ///   - loops: the first of them is the home loop.
    ///   - work: runs the reading of the log; its `run` is the caller's to call.
    package init(
        loops: [any EventLoop], bus: any ThreadBus, log: any MessageLog, work: WorkPool, metrics: FanOutMetrics,
        tracer: Tracer = .off
    ) {
        precondition(!loops.isEmpty && loops.count <= LoopSet.capacity, "1 to \(LoopSet.capacity) event loops")
        self.loops = loops
        self.home = loops[0]
        self.bus = bus
        self.log = log
        self.work = work
        self.metrics = metrics
        self.tracer = tracer
        metrics.runs(on: loops.count)
        hub = .makeEmptyBox(eventLoop: loops[0])
        rosters = loops.map { .makeEmptyBox(eventLoop: $0) }
        backlogs = loops.map { _ in LoopBacklog() }
    }

    /// Takes up the bus. To be called once, before any user is admitted.
    /// - Parameters:
    ///   - linger: how long a topic that nobody wants stays subscribed.
    ///   - headCheck: in what time every thread is compared with its log once, so that an event that was lost without
    ///     another one after it is found too; `nil` for a bus that loses none.
    ///   - observer: called for everything that the bus brings, before it is handled, on the bus's thread: it must not
    ///     take long.
    ///   - resubscribed: called on the home loop when the bus has been cut and is back: control events may be missing.
    ///   - told: called on the home loop when a user of this node is to be looked at: at once after a control event, or
    ///     when there is time, if they could not be taken into a thread.
    ///   - farewell: how long the sockets of somebody who is out of a thread wait for the `left` that says so; they have
    ///     no rights meanwhile.
    ///   - patience: how long to wait before each further try to read the log while it is away; half a minute in all
    ///     if not given.
    package func start(
        linger: TimeAmount = .seconds(1), headCheck: TimeAmount? = nil, leaveTimeout: TimeAmount = .seconds(1),
        timeout: [Duration]? = nil,
        observer: @escaping @Sendable (BusSignal) -> Void = { _ in },
        resubscribed: @escaping @Sendable () -> Void = {},
        told: @escaping @Sendable (UserID, _ isUrgent: Bool) -> Void = { _, _ in }
    ) async throws {
        for (index, loop) in loops.enumerated() {
            try await loop.submit { [self] in
                rosters[index].value = LoopRoster(
                    metrics: metrics, tracer: tracer,
                    releaseTopics: { [self] topics, seenJoinToken in
                        onHub { $0.release(topics, by: index, seenJoinToken: seenJoinToken) }
                    },
                    updated: { [self] update, readState in onHub { $0.updated(update, readState) } })
            }.get()
        }
        let log = RetryingLog(log: log, timeout: timeout ?? RetryingLog.timeout)
        try await home.submit { [self] in
            hub.value = HubCore(
                self, linger: linger.nanoseconds, leaveTimeout: leaveTimeout, log: log, resubscribed: resubscribed,
                told: told)
            guard let headCheck else { return }
            let part = TimeAmount.nanoseconds(headCheck.nanoseconds / Self.headCheckParts)
            home.scheduleRepeatedTask(initialDelay: part, delay: part) { [weak self] task in
                guard let self else { return task.cancel() }
                hub.value?.checkHeads(of: Self.headCheckParts)
            }
        }.get()
        bus.attach { [self] signal in
            observer(signal)
            // Whoever watches users observes it.
            if case .presence = signal { return }
            receive(signal)
        }
    }

    /// The roster of a loop; to be called on that loop, after `start`.
    package func roster(_ loop: Int) -> LoopRoster {
        guard let roster = rosters[loop].value else { preconditionFailure("FanOut was not started") }
        return roster
    }

    /// The index of an event loop among `loops`.
    package func index(of loop: any EventLoop) -> Int? {
        loops.firstIndex { $0 === loop }
    }

    // MARK: Users come and go

    /// Makes a user live on a loop, ready for a socket: memberships known, threads subscribed, nothing of it older than
    /// what `snapshot` reads.
    ///
    /// Afterwards either `LoopRoster.register` or `LoopRoster.cancelReservation` must be called on that loop.
    /// - Parameters:
    ///   - encoding: of the socket; counted until `forget`.
    ///   - snapshot: reads how the user stands, from the store and not from a cache; `nil` if there is no such user. The
    ///     user's channel is subscribed before it is called, so that no change falls between.
    /// - Returns: what was read.
    /// - Throws: `UnknownUser`; `BusError`; what `snapshot` throws.
    package func admit(
        _ user: User, on loop: Int, encoding: Encoding,
        snapshot: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        try await home.submit { [self] in hub.value?.use(encoding) }.get()
        do {
            return try await makeLive(user, on: loop, snapshot)
        } catch {
            forget(encoding)
            throw error
        }
    }

    private func makeLive(
        _ user: User, on loop: Int, _ snapshot: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        let failure = loops[loop].makePromise(of: (any Error)?.self)
        let isFirst = try await loops[loop].submit { [self] in
            roster(loop).reserve(user) { failure.succeed($0) }
        }.get()
        let loaded = try await isFirst ? load(user, on: loop, snapshot) : nil
        // With a failure the reservation is gone.
        if let error = try await failure.futureResult.get() { throw error }
        if let loaded { return loaded }
        do {
            return try await refresh(user.id, snapshot)
        } catch {
            loops[loop].execute { [self] in roster(loop).cancelReservation(user.id) }
            throw error
        }
    }

    private func load(
        _ user: User, on loop: Int, _ snapshot: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        var known: [Membership] = []
        do {
            try await want([.user(user.id)], on: loop)
            guard let read = try await snapshot(user.id) else { throw UnknownUser(id: user.id) }
            // Before they are wanted, so that no release of this loop can come behind that.
            try await loops[loop].submit { [self] in roster(loop).pin(read.memberships) }.get()
            known = read.memberships
            try await want(known.map { .thread($0.thread.id) }, on: loop)
            try await loops[loop].submit { [self] in roster(loop).loaded(user.id, read) }.get()
            return read
        } catch {
            let pinned = known
            loops[loop].execute { [self] in
                roster(loop).loadFailed(user.id, error)
                roster(loop).unpin(pinned)
            }
            throw error
        }
    }

    /// How often a snapshot is read that control events overtake; each of them has the user looked at again.
    private static let refreshTries = 3

    /// Brings a user who is live already to what the store says now.
    private func refresh(
        _ user: UserID, _ read: @Sendable (UserID) async throws -> UserSnapshot?
    ) async throws -> UserSnapshot {
        var tries = 0
        while true {
            tries += 1
            let mark = await present(among: []).mark
            guard let snapshot = try await read(user) else { throw UnknownUser(id: user) }
            let rest = await update(to: [snapshot], readAfter: mark, waiting: true)
            guard rest.away.isEmpty else { throw BusError.unavailable("a thread's log cannot be read") }
            if rest.told.isEmpty || tries == Self.refreshTries { return snapshot }
        }
    }

    private func want(_ topics: [BusTopic], on loop: Int) async throws {
        let isLive = home.makePromise(of: Void.self)
        onHub { hub in
            hub.want(topics, on: LoopSet(loop)) { result in isLive.completeWith(result.mapError { $0 as any Error }) }
        }
        try await isLive.futureResult.get()
    }

    /// How many topics this node is subscribed to, or about to be.
    package func topicCount() async throws -> Int {
        try await home.submit { [self] in hub.value?.topicCount ?? 0 }.get()
    }

    /// How many threads this node is subscribed to, or about to be.
    package var threadCount: Int { threads.load(ordering: .relaxed) }

    /// These topics are subscribed to from now on (1), or no more (-1).
    func count(_ topics: [BusTopic], _ step: Int) {
        let count = topics.count { if case .thread = $0 { true } else { false } }
        threads.wrappingAdd(step * count, ordering: .relaxed)
    }

    /// A socket of this encoding is gone.
    package func forget(_ encoding: Encoding) {
        onHub { $0.drop(encoding) }
    }

    /// A user of this node is found to be a member of a thread, though no control event said so; does nothing if they
    /// are in it already.
    package func beginJoin(_ user: UserID, _ membership: Membership, after: Int64) {
        onHub { $0.beginJoin(user, membership, after: after) }
    }

    /// Says up to where threads have been delivered to a loop: what was delivered there before is up to these places,
    /// what comes after is above them.
    /// - Parameter answer: called on that loop, with the threads that have events; with `nil` if it cannot be said of
    ///   all of them at the moment.
    package func ends(
        of threads: [ThreadID], on loop: Int, _ reply: @escaping @Sendable ([ThreadID: Position]?) -> Void
    ) {
        onHub { $0.tellEnds(of: threads, to: loop, reply) }
    }

    /// Something is found to have happened to a user of this node, though no control event said so.
    package func found(_ event: ControlEvent, of user: UserID) {
        onHub { $0.carryOut(event, of: user) }
    }

    // MARK: Hops

    /// From any thread to the hub.
    func onHub(_ body: @escaping @Sendable (HubCore) -> Void) {
        home.execute { [self] in
            if let hub = hub.value { body(hub) }
        }
    }

    /// From the home loop to a roster.
    func deliver(_ batch: [LoopDelivery], to loop: Int) {
        if loop == 0 { return roster(0).deliver(batch) }
        backlogs[loop].add(batch.count)
        loops[loop].execute { [self] in
            roster(loop).deliver(batch)
            backlogs[loop].remove(batch.count)
        }
    }

    /// From the bus, on any thread: one hop for all signals that come before the home loop gets to them.
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

    /// Hands the hub what the bus has brought, in parts, between which the home loop can do something else; none
    /// while a loop has more to do than it should, so that what waits for it waits in the inbox, which is bounded.
    private func emptyInbox() {
        guard let hub = hub.value else { return }
        guard !backlogs.contains(where: \.isFull) else {
            home.scheduleTask(in: Self.backlogPause) { [self] in emptyInbox() }
            return
        }
        let (signals, isMore) = inbox.withLock { $0.take(atMost: Self.signalsAtOnce) }
        metrics.took(signals.first)
        hub.receive(signals)
        if isMore { home.execute { [self] in emptyInbox() } }
    }
}
