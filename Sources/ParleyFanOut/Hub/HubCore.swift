import NIOCore
import ParleyModel
import ParleyWire

/// The one place of this node that every event passes, in order; see `FanOut`.
///
/// - keeps which loops want which topics, and the subscriptions that follow from it;
/// - puts each thread's events through its `SequenceGate`, and fills holes from the log;
/// - encodes an event once and hands it to each loop that wants it, one hop per loop and tick;
/// - takes users into threads while events flow, so that they miss none and see none twice.
///
/// Bound to the home loop: every call is on it.
///
/// **Grants.** A loop releases a thread when the last member there leaves. A `joined` on its way to that loop at the
/// same moment would find the interest gone. So each `joined` has a number, a release tells the highest number its
/// loop has seen, and a release that has not seen the topic's last grant is asked again (`confirm`).
final class HubCore {
    typealias Waiter = (Result<Void, BusError>) -> Void

    let fanOut: FanOut
    private let linger: Int64
    /// How long a `left` is waited for, by the one whose it is.
    let leaveTimeout: TimeAmount
    let log: RetryingLog
    var topics: [BusTopic: Topic] = [:]
    var encodings = EncodingCounts()
    var joinTokens: UInt64 = 0
    var pendingJoins: UInt64 = 0
    private var outboxes: [[LoopDelivery]]
    private var isFlushScheduled = false
    /// Topics that nobody wanted when they were put here, in that order; each at most once.
    private var unwanted: [BusTopic] = []
    private var isSweepScheduled = false
    /// Threads still to be compared with their logs in this round.
    private var unchecked: [ThreadID] = []
    private let resubscribed: () -> Void
    /// Says that a user of this node is to be looked at; see `FanOut.start`.
    let told: (UserID, _ isUrgent: Bool) -> Void
    /// How many control events have come for users of this node. Whoever notes the number before a read can say
    /// afterwards whether a user was told of meanwhile.
    var controlEvents: UInt64 = 0
    /// Snapshots that loops are being brought to.
    var updates: [UInt64: SnapshotUpdate] = [:]
    var updateCount: UInt64 = 0
    /// Who waits for an adoption, by its number.
    var joinWaiters: [UInt64: [() -> Void]] = [:]
    /// Users of this node who are on their way out of threads; each is there once for a thread, for `farewell` at most.
    var pendingLeaves: [ThreadID: [PendingLeave]] = [:]
    var pendingLeaveCount: UInt64 = 0

    /// - Parameters:
    ///   - linger: how long an unwanted topic stays subscribed, in nanoseconds; somebody often comes back.
    ///   - farewell: see `FanOut.start`.
    init(
        _ fanOut: FanOut, linger: Int64, leaveTimeout: TimeAmount, log: RetryingLog,
        resubscribed: @escaping () -> Void, told: @escaping (UserID, _ isUrgent: Bool) -> Void
    ) {
        self.leaveTimeout = leaveTimeout
        self.resubscribed = resubscribed
        self.told = told
        self.fanOut = fanOut
        self.linger = linger
        self.log = log
        outboxes = Array(repeating: [], count: fanOut.loops.count)
    }

    private var now: Int64 { Int64(clamping: fanOut.home.now.uptimeNanoseconds) }

    // MARK: Interest

    func use(_ encoding: Encoding) {
        encodings.add(encoding)
    }

    func drop(_ encoding: Encoding) {
        encodings.remove(encoding)
    }

    /// How many topics this node is subscribed to, or about to be.
    var topicCount: Int { topics.count }

    /// Makes topics live for loops.
    /// - Parameter completion: called once, on this loop, when all of them are, or with why one cannot be when it is
    ///   known of each.
    func want(_ wanted: [BusTopic], on loops: LoopSet, completion: @escaping Waiter) {
        var missing = 1
        var failure: BusError?
        let oneIsDone: Waiter = { result in
            if case .failure(let error) = result { failure = error }
            missing -= 1
            if missing == 0 { completion(failure.map { .failure($0) } ?? .success(())) }
        }
        var requested: [BusTopic] = []
        for name in wanted {
            switch topic(name).interest.want(loops, oneIsDone) {
            case .ready: continue
            case .wait: missing += 1
            case .subscribe:
                missing += 1
                requested.append(name)
            }
        }
        if !requested.isEmpty { subscribe(requested) }
        oneIsDone(.success(()))
    }

    func topic(_ name: BusTopic) -> Topic {
        if let topic = topics[name] { return topic }
        let topic = Topic()
        topics[name] = topic
        return topic
    }

    private func subscribe(_ names: [BusTopic]) {
        fanOut.metrics.subscribed(to: topics.count)
        fanOut.count(names, 1)
        fanOut.bus.subscribe(to: names) { [fanOut] result in
            fanOut.onHub { hub in
                switch result {
                case .success: hub.subscribed(names)
                case .failure(let error): hub.subscribeFailed(names, error)
                }
            }
        }
    }

    /// Whoever waits for a thread goes on when it is known where its log ends: so what is published from then on is
    /// missed by nobody, not even if the bus is cut before the first event.
    private func subscribed(_ names: [BusTopic]) {
        let threads = names.compactMap { if case .thread(let thread) = $0 { thread } else { nil } }
        goLive(names.filter { if case .user = $0 { true } else { false } })
        guard !threads.isEmpty else { return }
        let (fanOut, log) = (fanOut, log)
        let isTaken = fanOut.work.submit {
            let heads = await log.heads(of: threads)
            fanOut.onHub { $0.goLive(threads, behind: heads) }
        }
        if !isTaken { goLive(threads, behind: [:]) }
    }

    private func goLive(_ threads: [ThreadID], behind heads: [ThreadID: ThreadHead?]) {
        for thread in threads {
            // Without a known end the first event that comes is the beginning.
            if let head = heads[thread] { topics[.thread(thread)]?.gate.begin(behind: head?.position) }
        }
        goLive(threads.map { .thread($0) })
    }

    private func goLive(_ names: [BusTopic]) {
        let waiters = names.flatMap { topics[$0]?.interest.answered(isLive: true) ?? [] }
        for waiter in waiters { waiter(.success(())) }
    }

    private func subscribeFailed(_ names: [BusTopic], _ error: BusError) {
        let waiters = names.flatMap { topics.removeValue(forKey: $0)?.interest.answered(isLive: false) ?? [] }
        // The bus may have got hold of some of them.
        fanOut.count(names, -1)
        fanOut.bus.unsubscribe(from: names)
        fanOut.metrics.subscribed(to: topics.count)
        for waiter in waiters { waiter(.failure(error)) }
    }

    /// A loop wants topics no more.
    func release(_ names: [BusTopic], by loop: Int, seenJoinToken: UInt64) {
        for name in names {
            guard let topic = topics[name] else { continue }
            if topic.lastJoinToken > seenJoinToken, case .thread(let thread) = name {
                send(.confirm(thread, joinToken: joinTokens), to: loop)
            } else {
                topic.interest.release(loop)
                listIfUnwanted(name, topic)
            }
        }
    }

    func listIfUnwanted(_ name: BusTopic, _ topic: Topic) {
        guard !topic.isWanted else { return }
        topic.unwantedSince = now
        guard !topic.isListed else { return }
        topic.isListed = true
        unwanted.append(name)
        scheduleSweep()
    }

    private func scheduleSweep() {
        guard !isSweepScheduled, !unwanted.isEmpty else { return }
        isSweepScheduled = true
        fanOut.home.scheduleTask(in: .nanoseconds(linger)) { [fanOut] in
            fanOut.onHub { $0.sweep() }
        }
    }

    private func sweep() {
        isSweepScheduled = false
        let candidates = unwanted
        unwanted = []
        var given: [BusTopic] = []
        for name in candidates {
            guard let topic = topics[name] else { continue }
            topic.isListed = false
            if topic.isWanted { continue }
            if topic.interest.isLive, now - topic.unwantedSince >= linger {
                topics[name] = nil
                given.append(name)
            } else {
                topic.isListed = true
                unwanted.append(name)
            }
        }
        if !given.isEmpty {
            fanOut.count(given, -1)
            fanOut.bus.unsubscribe(from: given)
            fanOut.metrics.subscribed(to: topics.count)
        }
        scheduleSweep()
    }

    // MARK: What the bus brings

    /// A burst: what comes of it is handed to the loops at once.
    func receive(_ signals: [BusSignal]) {
        isFlushScheduled = true
        for signal in signals { receive(signal) }
        flush()
    }

    func receive(_ signal: BusSignal) {
        switch signal {
        case .event(let event):
            if let topic = topics[.thread(event.thread)] { receive(event, in: topic) }
        case .ephemeral(.stored(let seq, let epoch), let thread):
            guard let loops = topics[.thread(thread)]?.interest.loops, !loops.isEmpty else { return }
            send(.stored(thread, seq: seq, epoch: epoch), to: loops)
        case .ephemeral(let event, let thread):
            guard let loops = topics[.thread(thread)]?.interest.loops, !loops.isEmpty else { return }
            send(.frame(thread, SharedFrame(event, in: thread, for: encodings.inUse)), to: loops)
        case .foreign(let event, let thread):
            guard let loops = topics[.thread(thread)]?.interest.loops, !loops.isEmpty else { return }
            send(.frame(thread, SharedFrame(event, for: encodings.inUse)), to: loops)
        case .control(let event, let user):
            receive(event, of: user)
        case .presence:
            // Whoever watches users has taken it out of the bus; it is nothing for members of threads.
            break
        case .resubscribed:
            catchUp()
            resubscribed()
        }
    }

    func receive(_ event: LogEvent, in topic: Topic) {
        switch topic.gate.offer(event) {
        case .deliver: pass(event, in: topic)
        case .ignore: fanOut.metrics.repeated()
        case .hold: break
        case .repair(let after):
            fanOut.metrics.noticedGap()
            repair(event.thread, after: after)
        }
    }

    /// Hands an event to every loop that wants it.
    private func pass(_ event: LogEvent, in topic: Topic) {
        if !pendingLeaves.isEmpty { endPendingLeaves(before: event) }
        for index in topic.pendingJoins.indices { topic.pendingJoins[index].record(event) }
        guard !topic.interest.loops.isEmpty else { return }
        send(.frame(event.thread, SharedFrame(event, for: encodings.inUse)), to: topic.interest.loops)
        if let message = event.tracedMessage { send(.traced(message, event.thread), to: topic.interest.loops) }
        if !pendingLeaves.isEmpty { endPendingLeaves(with: event) }
    }

    func sendToUser(_ user: UserID, _ delivery: LoopDelivery) {
        if let topic = topics[.user(user)] { send(delivery, to: topic.interest.loops) }
    }

    func send(_ delivery: LoopDelivery, to loops: LoopSet) {
        loops.forEach { send(delivery, to: $0) }
    }

    func send(_ delivery: LoopDelivery, to loop: Int) {
        outboxes[loop].append(delivery)
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        fanOut.home.execute { [fanOut] in fanOut.onHub { $0.flush() } }
    }

    /// Hands each loop what is for it.
    func flush() {
        isFlushScheduled = false
        for loop in outboxes.indices where !outboxes[loop].isEmpty {
            let batch = outboxes[loop]
            outboxes[loop].removeAll(keepingCapacity: batch.count <= 1024)
            fanOut.deliver(batch, to: loop)
        }
    }

    // MARK: Holes

    private func repair(_ thread: ThreadID, after: Int64) {
        let (fanOut, log) = (fanOut, log)
        let isTaken = fanOut.work.submit {
            let slice = await log.events(in: thread, after: after, limit: SequenceGate.readLimit)
            fanOut.onHub { $0.repaired(thread, slice) }
        }
        if !isTaken { repaired(thread, nil) }
    }

    private func repaired(_ thread: ThreadID, _ slice: LogSlice?) {
        guard let topic = topics[.thread(thread)] else { return }
        let repair = slice.map { topic.gate.repaired($0) } ?? topic.gate.repairFailed()
        if repair.lost > 0 || repair.renumbering != nil { endPendingLeaves(in: thread) }
        if repair.lost > 0 {
            fanOut.metrics.gaveUp(repair.lost)
            send(.lostTrack(thread), to: topic.interest.loops)
        }
        if !repair.events.isEmpty { fanOut.metrics.repaired() }
        if let renumbering = repair.renumbering { send(.renumbered(thread, renumbering), to: topic.interest.loops) }
        for event in repair.events { pass(event, in: topic) }
        if let after = repair.readAfter { self.repair(thread, after: after) }
    }

    /// The bus was cut: asks the log, for every thread, what came after the last event.
    private func catchUp() {
        for (name, topic) in topics {
            if case .thread(let thread) = name, let after = topic.gate.doubt() { repair(thread, after: after) }
        }
    }

    /// Compares one of `parts` of the threads with their logs: what the bus has lost without a trace is found.
    func checkHeads(of parts: Int64) {
        if unchecked.isEmpty {
            unchecked = topics.keys.compactMap { if case .thread(let thread) = $0 { thread } else { nil } }
        }
        let threads = Array(unchecked.suffix(max(1, topics.count / Int(parts) + 1)))
        unchecked.removeLast(threads.count)
        guard !threads.isEmpty else { return }
        let (fanOut, log) = (fanOut, log)
        // If there is no room for it, the next round comes soon.
        _ = fanOut.work.submit {
            guard let ends = await log.ends(of: threads) else { return }
            fanOut.onHub { $0.compare(threads, with: ends) }
        }
    }

    /// Reads the logs of those threads that do not end where the delivered events do.
    private func compare(_ threads: [ThreadID], with ends: [ThreadID: Position]) {
        for thread in threads {
            guard let topic = topics[.thread(thread)] else { continue }
            let (end, delivered) = (ends[thread], topic.gate.delivered)
            // Events that came since the log was asked are no reason.
            if end?.epoch == delivered?.epoch, end?.seq ?? 0 <= delivered?.seq ?? 0 { continue }
            if let after = topic.gate.doubt() { repair(thread, after: after) }
        }
    }
}
