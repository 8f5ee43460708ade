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

    private struct Topic {
        var interest = TopicInterest<Waiter>()
        var gate = SequenceGate()
        var adoptions: [Adoption] = []
    }

    private let surroundings: FanOut
    private let linger: Int64
    private var topics: [BusTopic: Topic] = [:]
    private var encodings = EncodingCounts()
    private var grants: UInt64 = 0
    private var outboxes: [[LoopDelivery]]
    private var isFlushScheduled = false
    /// Topics without interest, in the order in which they lost it.
    private var unwanted: [BusTopic] = []
    private var isSweepScheduled = false

    /// - Parameter linger: how long an unwanted topic stays subscribed, in nanoseconds; somebody often comes back.
    init(_ surroundings: FanOut, linger: Int64) {
        self.surroundings = surroundings
        self.linger = linger
        outboxes = Array(repeating: [], count: surroundings.loops.count)
    }

    private var now: Int64 { Int64(clamping: surroundings.home.now.uptimeNanoseconds) }

    // MARK: Interest

    func use(_ encoding: Encoding) {
        encodings.add(encoding)
    }

    func drop(_ encoding: Encoding) {
        encodings.remove(encoding)
    }

    /// Makes topics live for loops.
    /// - Parameter completion: called once, on this loop, when all of them are or one cannot be.
    func want(_ wanted: [BusTopic], on loops: LoopSet, completion: @escaping Waiter) {
        var missing = 1
        var failure: BusError?
        let oneIsDone: Waiter = { result in
            if case .failure(let error) = result { failure = error }
            missing -= 1
            if missing == 0 { completion(failure.map { .failure($0) } ?? .success(())) }
        }
        var asked: [BusTopic] = []
        for name in wanted {
            switch topics[name, default: Topic()].interest.want(loops, oneIsDone) {
            case .ready: continue
            case .wait: missing += 1
            case .subscribe:
                missing += 1
                asked.append(name)
            }
        }
        if !asked.isEmpty { subscribe(asked) }
        oneIsDone(.success(()))
    }

    private func subscribe(_ names: [BusTopic]) {
        surroundings.metrics.subscribed(to: topics.count)
        surroundings.bus.subscribe(to: names) { [surroundings] result in
            surroundings.onHub { $0.subscribed(names, result) }
        }
    }

    private func subscribed(_ names: [BusTopic], _ result: Result<Void, BusError>) {
        var waiters: [Waiter] = []
        for name in names {
            guard topics[name] != nil else { continue }
            let isLive = if case .success = result { true } else { false }
            waiters += topics[name]?.interest.answered(isLive: isLive) ?? []
            if !isLive { topics[name] = nil }
        }
        for waiter in waiters { waiter(result) }
    }

    /// A loop wants topics no more.
    func release(_ names: [BusTopic], by loop: Int, seenGrant: UInt64) {
        for name in names {
            guard let lastGrant = topics[name]?.interest.lastGrant else { continue }
            if lastGrant > seenGrant, case .thread(let thread) = name {
                send(.confirm(thread, grant: grants), to: loop)
            } else if topics[name]?.interest.release(loop, at: now) == true {
                unwanted.append(name)
            }
        }
        scheduleSweep()
    }

    private func scheduleSweep() {
        guard !isSweepScheduled, !unwanted.isEmpty else { return }
        isSweepScheduled = true
        surroundings.home.scheduleTask(in: .nanoseconds(linger)) { [surroundings] in
            surroundings.onHub { $0.sweep() }
        }
    }

    private func sweep() {
        isSweepScheduled = false
        let candidates = unwanted
        unwanted = []
        var given: [BusTopic] = []
        for name in candidates {
            guard let interest = topics[name]?.interest, interest.loops.isEmpty else { continue }
            if interest.isForgettable(at: now, linger: linger) {
                topics[name] = nil
                given.append(name)
            } else {
                unwanted.append(name)
            }
        }
        if !given.isEmpty {
            surroundings.bus.unsubscribe(from: given)
            surroundings.metrics.subscribed(to: topics.count)
        }
        scheduleSweep()
    }

    // MARK: What the bus brings

    func receive(_ signal: BusSignal) {
        switch signal {
        case .event(let event):
            receive(event)
        case .notice(let notice, let thread):
            pass(SharedFrame(notice, for: encodings.inUse), in: thread)
        case .control(.added(let membership, let after), let user):
            adopt(user, membership, after: after)
        case .control(.removed(let thread), let user):
            sendToUser(user, .removed(user, thread))
        case .control(.sessionRevoked(let token), let user):
            sendToUser(user, .sessionRevoked(user, token))
        case .resubscribed:
            catchUp()
        }
    }

    private func receive(_ event: LogEvent) {
        let name = BusTopic.thread(event.thread)
        guard let verdict = topics[name]?.gate.offer(event) else { return }
        switch verdict {
        case .deliver: pass(event)
        case .ignore, .hold: break
        case .repair(let after):
            surroundings.metrics.noticedGap()
            repair(event.thread, after: after)
        }
    }

    /// Hands an event to every loop that wants it.
    private func pass(_ event: LogEvent) {
        let name = BusTopic.thread(event.thread)
        if topics[name]?.adoptions.isEmpty == false {
            for index in topics[name]?.adoptions.indices ?? 0..<0 { topics[name]?.adoptions[index].record(event) }
        }
        pass(SharedFrame(event, for: encodings.inUse), in: event.thread)
    }

    private func pass(_ frame: SharedFrame, in thread: ThreadID) {
        topics[.thread(thread)]?.interest.loops.forEach { send(.frame(thread, frame), to: $0) }
    }

    private func sendToUser(_ user: UserID, _ delivery: LoopDelivery) {
        topics[.user(user)]?.interest.loops.forEach { send(delivery, to: $0) }
    }

    private func send(_ delivery: LoopDelivery, to loop: Int) {
        outboxes[loop].append(delivery)
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        surroundings.home.execute { [surroundings] in surroundings.onHub { $0.flush() } }
    }

    private func flush() {
        isFlushScheduled = false
        for loop in outboxes.indices where !outboxes[loop].isEmpty {
            let batch = outboxes[loop]
            outboxes[loop].removeAll(keepingCapacity: batch.count <= 1024)
            surroundings.onRoster(loop) { $0.deliver(batch) }
        }
    }

    // MARK: Holes

    private func repair(_ thread: ThreadID, after: Int64) {
        let surroundings = surroundings
        let isTaken = surroundings.work.submit {
            let slice = try? await surroundings.log.events(in: thread, after: after, limit: SequenceGate.holdLimit)
            surroundings.onHub { $0.repaired(thread, slice) }
        }
        if !isTaken { repaired(thread, nil) }
    }

    private func repaired(_ thread: ThreadID, _ slice: LogSlice?) {
        let name = BusTopic.thread(thread)
        let repair = slice.map { topics[name]?.gate.repaired($0) } ?? topics[name]?.gate.repairFailed()
        guard let repair else { return }
        if repair.lost > 0 { surroundings.metrics.gaveUp(repair.lost) }
        for event in repair.events { pass(event) }
    }

    /// The bus was cut: asks the log, for every thread that is followed, what came after the last event.
    private func catchUp() {
        for (name, topic) in topics {
            guard case .thread(let thread) = name, let delivered = topic.gate.delivered else { continue }
            let surroundings = surroundings
            _ = surroundings.work.submit {
                guard
                    let slice = try? await surroundings.log.events(
                        in: thread, after: delivered.seq, limit: SequenceGate.holdLimit)
                else { return }
                surroundings.onHub { hub in
                    for event in slice.events { hub.receive(event) }
                }
            }
        }
    }

    // MARK: New members

    /// A user of this node became a member of a thread: its loops follow the thread from now on.
    func adopt(_ user: UserID, _ membership: Membership, after: Int64) {
        guard let loops = topics[.user(user)]?.interest.loops, !loops.isEmpty else { return }
        let thread = membership.thread.id
        want([.thread(thread)], on: loops) { [surroundings] result in
            // Without a subscription the user is a member who hears nothing now; the store has the membership, and
            // the next socket will be live.
            guard case .success = result else { return }
            surroundings.onHub { $0.catchUp(Adoption(user: user, membership: membership, after: after)) }
        }
    }

    private func catchUp(_ adoption: Adoption) {
        let thread = adoption.membership.thread.id
        let name = BusTopic.thread(thread)
        guard topics[name] != nil else { return }
        topics[name]?.adoptions.append(adoption)
        let surroundings = surroundings
        let isTaken = surroundings.work.submit {
            let slice = try? await surroundings.log.events(in: thread, after: adoption.after, limit: Adoption.limit)
            surroundings.onHub { $0.settle(adoption.user, in: thread, slice) }
        }
        if !isTaken { settle(adoption.user, in: thread, nil) }
    }

    private func settle(_ user: UserID, in thread: ThreadID, _ slice: LogSlice?) {
        let name = BusTopic.thread(thread)
        guard let index = topics[name]?.adoptions.firstIndex(where: { $0.user == user }),
            let adoption = topics[name]?.adoptions.remove(at: index)
        else { return }
        let slice = slice ?? LogSlice(epoch: nil, events: [], isTruncated: true)
        let (replay, ahead) = adoption.settle(slice, delivered: topics[name]?.gate.delivered)
        grants += 1
        topics[name]?.interest.lastGrant = grants
        let frames = replay.map { SharedFrame($0, for: encodings.inUse) }
        topics[.user(user)]?.interest.loops.forEach { loop in
            send(.joined(user, adoption.membership, replay: frames, grant: grants), to: loop)
        }
        for event in ahead { receive(event) }
    }
}
