import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import ParleyWire
import Synchronization

/// A hub with two loops, a bus and a log: what the driver does with the actions, without an event loop.
struct HubRun {
    /// What a loop gets, without the bytes.
    enum Delivery: Hashable {
        /// With the seq; `nil` for what is not in the log.
        case frame(Int64?)
        case joined(UserID, after: Int64?, replay: [Int64], token: UInt64)
        case removed(UserID)
        case leaving(UserID)
        case hasLeft(UserID)
        case revoked(UserID)
        case erased(UserID)
        case snapshots([UserID], update: UInt64)
        case stored(Int64)
        case renumbered(from: Int64, to: Int64)
        case lostTrack
        case available(after: Int64?)
        case confirm(token: UInt64)
    }

    static let thread = GateRun.thread
    static let membership = Membership(
        thread: ThreadInfo(id: thread, kind: .room, title: "gate"), role: .member)
    static let ann = Samples.user("ann")
    static let bob = Samples.user("bob")
    static let linger: Int64 = 1000
    static let leaveTimeout: Int64 = 500

    private(set) var hub: Hub
    /// Whether the host of all threads is away.
    let host = Host()
    private var actions = HubActions(loops: 2)
    var now: Int64 = 0
    /// What the log has of `thread`; of one epoch.
    var log: [LogEvent] = []
    /// Whether the log cannot be read.
    var isLogAway = false
    /// Whether the bus refuses every topic.
    var isBusAway = false

    /// By loop.
    private(set) var delivered: [[Delivery]] = [[], []]
    /// Subscriptions and readings without an answer.
    private(set) var pending: [HubAction] = []
    private(set) var unsubscribed: [BusTopic] = []
    private(set) var timers: [HubTimer] = []
    private(set) var resumed: [UInt64] = []
    private(set) var failed: [UInt64] = []
    private(set) var finished: [UInt64: SnapshotOutcome] = [:]
    private(set) var replies: [UInt64: ThreadEnds] = [:]
    private(set) var reloads: [UserID] = []
    private(set) var resubscriptions = 0
    private(set) var counts: [HubCount] = []

    /// The host of the threads, which the hub asks about.
    final class Host: Sendable {
        private let away = Mutex(false)
        var isAway: Bool {
            get { away.withLock { $0 } }
            set { away.withLock { $0 = newValue } }
        }
    }

    init() {
        let host = host
        hub = Hub(
            loops: 2, linger: Self.linger, leaveTimeout: Self.leaveTimeout,
            reach: HubReach(isReceiving: { _ in !host.isAway }, isReachable: { _ in !host.isAway }))
    }

    /// A hub whose loops follow the thread: Ann is on loop 1, and Bob on loop 0 without being a member.
    static func withAnn(log: [LogEvent] = []) -> HubRun {
        var run = HubRun()
        run.log = log
        run.open(ann, in: [thread], on: 1)
        run.open(bob, in: [], on: 0)
        return run
    }

    /// A user comes to a loop.
    mutating func open(_ user: User, in threads: [ThreadID], on loop: Int) {
        subscribe(to: [.user(user.id)] + threads.map { .thread($0) }, for: loop, waiter: 0)
        answerAll()
        resumed = []
    }

    // MARK: Events

    mutating func handle(_ body: (inout Hub, inout HubActions) -> Void) {
        body(&hub, &actions)
        for loop in delivered.indices {
            delivered[loop] += (actions.takeDeliveries(to: loop) ?? []).compactMap(Self.delivery)
        }
        for action in actions.others { take(action) }
        actions.removeOthers()
    }

    mutating func subscribe(to topics: [BusTopic], for loop: Int, waiter: UInt64) {
        handle { hub, actions in hub.subscribe(to: topics, for: loop, waiter: waiter, &actions) }
    }

    mutating func receive(_ signals: [BusSignal]) {
        let now = now
        handle { hub, actions in hub.received(signals, at: now, &actions) }
    }

    mutating func receive(_ seqs: ClosedRange<Int64>, _ epoch: String = "a") {
        receive(GateRun.events(seqs, epoch).map { .event($0) })
    }

    mutating func receive(_ event: ControlEvent, of user: User = bob) {
        receive([.control(event, user.id)])
    }

    mutating func release(_ topics: [BusTopic], by loop: Int, seenJoinToken: UInt64 = 0) {
        let now = now
        handle { hub, actions in
            hub.released(topics, by: loop, seenJoinToken: seenJoinToken, at: now, &actions)
        }
    }

    mutating func beginJoin(after: Int64, waiter: UInt64) {
        handle { hub, actions in
            hub.beginJoin(Self.bob.id, Self.membership, after: after, waiter: waiter, &actions)
        }
    }

    /// The oldest timer fires.
    mutating func fireTimer() {
        guard !timers.isEmpty else { return }
        let (timer, now) = (timers.removeFirst(), now)
        handle { hub, actions in hub.timerFired(timer, at: now, &actions) }
    }

    // MARK: Answers

    /// The bus or the log answers the oldest action.
    mutating func answer() {
        guard !pending.isEmpty else { return }
        let (action, now) = (pending.removeFirst(), now)
        let (log, isLogAway, isBusAway, host) = (log, isLogAway, isBusAway, host)
        handle { hub, actions in
            switch action {
            case .subscribe(let topics) where isBusAway:
                hub.subscribeFailed(topics, .unavailable("away"), &actions)
            case .subscribe(let topics) where host.isAway:
                hub.subscribed(to: topics, away: [.thread(Self.thread)], &actions)
            case .subscribe(let topics):
                hub.subscribed(to: topics, &actions)
            case .readEvents(let thread, let after):
                let events = log.filter { $0.position.seq > after }.prefix(SequenceGate.readLimit)
                let slice = LogSlice(
                    epoch: log.last?.position.epoch, events: Array(events), end: log.last?.position.seq ?? 0,
                    isTruncated: false)
                hub.eventsRead(thread, isLogAway ? nil : slice, &actions)
            case .readNewest(let thread, let after, let join):
                let events = isLogAway ? [] : log.filter { $0.position.seq > after }.suffix(PendingJoin.limit)
                hub.newestRead(thread, Array(events), join: join, at: now, &actions)
            case .readHeads(let threads, let request):
                var heads: [ThreadID: ThreadHead?] = [:]
                for thread in isLogAway ? [] : threads { heads.updateValue(Self.head(of: log), forKey: thread) }
                hub.headsRead(threads, heads, for: request, &actions)
            case .readEnds(let threads):
                let end = log.last?.position
                hub.endsRead(threads, end.map { [Self.thread: $0] } ?? [:], &actions)
            default:
                break
            }
        }
    }

    /// The bus and the log answer until nothing is pending.
    mutating func answerAll() {
        for _ in 0..<100 where !pending.isEmpty { answer() }
    }

    private static func head(of log: [LogEvent]) -> ThreadHead? {
        log.last.map { ThreadHead(position: $0.position, milliseconds: 0, messageCount: 0) }
    }

    // MARK: Results

    /// The seqs that a loop has got for Bob: what was replayed to him, and the frames after he joined.
    var bobsSeqs: [Int64] {
        guard let start = delivered[0].firstIndex(where: { if case .joined = $0 { true } else { false } }),
            case .joined(_, _, let replay, _) = delivered[0][start]
        else { return [] }
        return replay + Self.seqs(Array(delivered[0][start...]))
    }

    /// The seqs of the frames that a loop has got.
    func seqs(_ loop: Int) -> [Int64] {
        Self.seqs(delivered[loop])
    }

    mutating func forgetDeliveries() {
        delivered = [[], []]
    }

    private static func seqs(_ deliveries: [Delivery]) -> [Int64] {
        deliveries.compactMap { if case .frame(let seq) = $0 { seq } else { nil } }
    }

    private mutating func take(_ action: HubAction) {
        switch action {
        case .subscribe, .readEvents, .readNewest, .readHeads, .readEnds: pending.append(action)
        case .unsubscribe(let topics): unsubscribed += topics
        case .startTimer(let timer, _): timers.append(timer)
        case .resume(let waiter, nil): resumed.append(waiter)
        case .resume(let waiter, .some): failed.append(waiter)
        case .finishUpdate(let number, let outcome): finished[number] = outcome
        case .reply(let request, let ends): replies[request.number] = ends
        case .reloadUser(let user, _): reloads.append(user)
        case .reportResubscription: resubscriptions += 1
        case .count(let count): counts.append(count)
        }
    }

    private static func delivery(_ delivery: LoopDelivery) -> Delivery? {
        switch delivery {
        case .frame(_, let frame): .frame(frame.position?.seq)
        case .joined(let user, _, let after, let replay, let token):
            .joined(user, after: after?.seq, replay: replay.compactMap(\.position?.seq), token: token)
        case .removed(let user, _): .removed(user)
        case .leaving(let user, _): .leaving(user)
        case .hasLeft(let user, _): .hasLeft(user)
        case .sessionRevoked(let user, _): .revoked(user)
        case .erased(let user): .erased(user)
        case .snapshots(let snapshots, let update): .snapshots(snapshots.map(\.user.id), update: update)
        case .stored(_, let seq, _): .stored(seq)
        case .renumbered(_, let renumbering): .renumbered(from: renumbering.from, to: renumbering.to)
        case .lostTrack: .lostTrack
        case .available(_, let after): .available(after: after?.seq)
        case .confirm(_, let token): .confirm(token: token)
        case .traced, .reply: nil
        }
    }
}
