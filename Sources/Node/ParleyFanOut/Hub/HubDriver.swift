import NIOCore
import ParleyModel
import Synchronization

/// Passes events to the hub, and performs its actions on the bus, the log, the event loops and their timers.
///
/// The driver is bound to the home loop.
final class HubDriver {
    private let home: any EventLoop
    private let bus: any ThreadBus
    private let log: RetryingLog
    private let work: WorkPool
    private let metrics: FanOutMetrics
    private let rosters: LoopRosters
    private let threadCount: ThreadCount
    private let resubscribed: () -> Void
    private let reloadUser: (UserID, _ isUrgent: Bool) -> Void
    private var hub: Hub
    private var actions: HubActions
    private var isFlushScheduled = false
    private var lastNumber: UInt64 = 0
    private var waiters: [UInt64: (BusError?) -> Void] = [:]
    private var updates: [UInt64: (SnapshotOutcome) -> Void] = [:]
    private var replies: [UInt64: @Sendable (ThreadEnds) -> Void] = [:]

    /// - Parameters:
    ///   - home: The event loop that the driver is created and used on.
    ///   - rosters: Receives the deliveries.
    ///   - threadCount: Receives the number of subscribed threads.
    ///   - resubscribed: See `FanOut.start`.
    ///   - reloadUser: See `FanOut.start`.
    init(
        on home: any EventLoop, bus: any ThreadBus, work: WorkPool, metrics: FanOutMetrics, rosters: LoopRosters,
        threadCount: ThreadCount, hub: Hub, log: RetryingLog, resubscribed: @escaping () -> Void,
        reloadUser: @escaping (UserID, _ isUrgent: Bool) -> Void
    ) {
        self.home = home
        self.bus = bus
        self.work = work
        self.metrics = metrics
        self.rosters = rosters
        self.threadCount = threadCount
        self.hub = hub
        self.log = log
        self.resubscribed = resubscribed
        self.reloadUser = reloadUser
        actions = HubActions(loops: rosters.count)
    }

    private var now: Int64 { Int64(clamping: home.now.uptimeNanoseconds) }

    // MARK: Events

    /// Passes signals of the bus to the hub, and flushes the resulting deliveries.
    func receive(_ signals: [BusSignal]) {
        hub.received(signals, at: now, &actions)
        perform()
        flush()
    }

    /// Passes an event to the hub.
    /// - Parameter body: Calls the method for the event.
    func handle(_ body: (_ hub: inout Hub, _ actions: inout HubActions) -> Void) {
        body(&hub, &actions)
        perform()
        scheduleFlush()
    }

    /// Passes an event with its time to the hub.
    func handle(_ body: (_ hub: inout Hub, _ now: Int64, _ actions: inout HubActions) -> Void) {
        body(&hub, now, &actions)
        perform()
        scheduleFlush()
    }

    func read<Value>(_ body: (Hub) -> Value) -> Value {
        body(hub)
    }

    // MARK: Events with a completion

    /// - Parameter completion: Called once, when the topics are live, or with an error.
    func subscribe(to topics: [BusTopic], for loop: Int, completion: @escaping (BusError?) -> Void) {
        let waiter = nextNumber()
        waiters[waiter] = completion
        handle { hub, actions in hub.subscribe(to: topics, for: loop, waiter: waiter, &actions) }
    }

    /// - Parameter completion: Called once, when the loops of the user follow the thread, or cannot.
    func beginJoin(_ user: UserID, _ membership: Membership, after: Int64, completion: @escaping () -> Void) {
        let waiter = nextNumber()
        waiters[waiter] = { _ in completion() }
        handle { hub, actions in hub.beginJoin(user, membership, after: after, waiter: waiter, &actions) }
    }

    /// - Parameter completion: Called once, when all loops have applied the snapshots.
    func update(
        to snapshots: [UserSnapshot], readAfter mark: UInt64, completion: @escaping (SnapshotOutcome) -> Void
    ) {
        let number = nextNumber()
        updates[number] = completion
        handle { hub, actions in hub.update(to: snapshots, readAfter: mark, number: number, &actions) }
    }

    /// - Parameter reply: Called once, on the loop; see `FanOut.ends`.
    func ends(of threads: [ThreadID], on loop: Int, _ reply: @escaping @Sendable (ThreadEnds) -> Void) {
        let number = nextNumber()
        replies[number] = reply
        let request = PositionRequest(number: number, threads: threads, loop: loop)
        handle { hub, actions in hub.requested(request, &actions) }
    }

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Actions

    private func perform() {
        // An action that is refused immediately is an event, and its actions are appended to the others. No code here
        // passes an event to the hub before it returns, because actions would then be performed twice. Results arrive
        // through `hop`.
        var next = 0
        while next < actions.others.count {
            let action = actions.others[next]
            next += 1
            perform(action)
        }
        if next > 0 { actions.removeOthers() }
    }

    private func perform(_ action: HubAction) {
        switch action {
        case .subscribe(let topics):
            noteTopics()
            subscribe(to: topics)
        case .unsubscribe(let topics):
            noteTopics()
            bus.unsubscribe(from: topics)
        case .readEvents(let thread, let after):
            readEvents(of: thread, after: after)
        case .readNewest(let thread, let after, let join):
            readNewest(of: thread, after: after, join: join)
        case .readHeads(let threads, let request):
            readHeads(of: threads, for: request)
        case .readEnds(let threads):
            readEnds(of: threads)
        case .startTimer(let timer, let nanoseconds):
            home.assumeIsolated().scheduleTask(in: .nanoseconds(nanoseconds)) {
                self.handle { hub, now, actions in hub.timerFired(timer, at: now, &actions) }
            }
        case .resume(let waiter, let failure):
            // A waiter continues after the deliveries that it has waited for.
            flush()
            waiters.removeValue(forKey: waiter)?(failure)
        case .finishUpdate(let number, let outcome):
            flush()
            updates.removeValue(forKey: number)?(outcome)
        case .reply(let request, let ends):
            guard let reply = replies.removeValue(forKey: request.number) else { return }
            actions.deliver(.reply { reply(ends) }, to: request.loop)
        case .reloadUser(let user, let isUrgent):
            reloadUser(user, isUrgent)
        case .reportResubscription:
            resubscribed()
        case .count(let count):
            metrics.count(count)
        }
    }

    /// Passes results back from any thread.
    private var hop: DriverHop { DriverHop(self, on: home) }

    private func noteTopics() {
        metrics.subscribed(to: hub.topicCount)
        threadCount.value.store(hub.threadCount, ordering: .relaxed)
    }

    private func subscribe(to topics: [BusTopic]) {
        bus.subscribe(to: topics) { [hop] result in
            hop { hub, _, actions in
                switch result {
                case .success: hub.subscribed(to: topics, &actions)
                case .failure(.away(let away)): hub.subscribed(to: topics, away: away, &actions)
                case .failure(let error): hub.subscribeFailed(topics, error, &actions)
                }
            }
        }
    }

    private func readEvents(of thread: ThreadID, after: Int64) {
        let isSubmitted = work.submit { [hop, log] in
            let slice = await log.events(in: thread, after: after, limit: SequenceGate.readLimit)
            hop { hub, _, actions in hub.eventsRead(thread, slice, &actions) }
        }
        if !isSubmitted { hub.eventsRead(thread, nil, &actions) }
    }

    private func readNewest(of thread: ThreadID, after: Int64, join: UInt64) {
        let isSubmitted = work.submit { [hop, log] in
            let events = await log.newest(in: thread, after: after, limit: PendingJoin.limit)
            hop { hub, now, actions in hub.newestRead(thread, events, join: join, at: now, &actions) }
        }
        if !isSubmitted { hub.newestRead(thread, [], join: join, at: now, &actions) }
    }

    private func readHeads(of threads: [ThreadID], for request: PositionRequest?) {
        let isSubmitted = work.submit { [hop, log] in
            let heads = await log.heads(of: threads)
            hop { hub, _, actions in hub.headsRead(threads, heads, for: request, &actions) }
        }
        if !isSubmitted { hub.headsRead(threads, [:], for: request, &actions) }
    }

    private func readEnds(of threads: [ThreadID]) {
        // If the pool refuses the work, the next round follows soon.
        _ = work.submit { [hop, log] in
            guard let ends = await log.ends(of: threads) else { return }
            hop { hub, _, actions in hub.endsRead(threads, ends, &actions) }
        }
    }

    // MARK: Deliveries

    /// Schedules a flush, so that the deliveries of one tick of the loop travel together.
    private func scheduleFlush() {
        guard !isFlushScheduled, actions.hasDeliveries else { return }
        isFlushScheduled = true
        home.assumeIsolated().execute { self.flush() }
    }

    /// Passes each loop its deliveries.
    private func flush() {
        isFlushScheduled = false
        for loop in 0..<rosters.count {
            if let batch = actions.takeDeliveries(to: loop) { rosters.deliver(batch, to: loop) }
        }
    }
}

/// Passes events to the hub of a driver from any thread.
private struct DriverHop: Sendable {
    private let home: any EventLoop
    private let driver: NIOLoopBound<HubDriver>

    init(_ driver: HubDriver, on home: any EventLoop) {
        self.home = home
        self.driver = NIOLoopBound(driver, eventLoop: home)
    }

    func callAsFunction(_ body: @escaping @Sendable (inout Hub, _ now: Int64, inout HubActions) -> Void) {
        home.execute { driver.value.handle(body) }
    }
}

/// The number of subscribed threads, readable from any thread.
final class ThreadCount: Sendable {
    let value = Atomic<Int>(0)
}
