import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import ParleyWire
import Testing

@Suite("The small values of the fan-out")
struct ValueTests {
    // MARK: LoopSet

    @Test("a set of loops is a set", arguments: [[], [0], [63], [5, 0, 63, 5], Array(0...63)] as [[Int]])
    func loopSet(_ loops: [Int]) {
        var set = LoopSet()
        for loop in loops { set.insert(loop) }
        #expect(members(of: set) == Set(loops).sorted())
        #expect(set.isEmpty == loops.isEmpty)
        var union = LoopSet(7)
        union.formUnion(set)
        #expect(members(of: union) == Set(loops + [7]).sorted())
        for loop in loops { set.remove(loop) }
        #expect(set == LoopSet())
    }

    private func members(of set: LoopSet) -> [Int] {
        var members: [Int] = []
        set.forEach { members.append($0) }
        return members
    }

    // MARK: TopicInterest

    @Test("a topic is requested once, and every waiter goes on")
    func interest() {
        var interest = TopicInterest<Int>()
        guard case .subscribe = interest.add(LoopSet(1), 1) else { return fail("the first requests") }
        guard case .wait = interest.add(LoopSet(2), 2) else { return fail("the second waits") }
        #expect(!interest.isLive)
        let waited = interest.answered(isLive: true)
        #expect(waited == [1, 2])
        #expect(interest.isLive)
        guard case .ready(3) = interest.add(LoopSet(3), 3) else { return fail("the third goes on") }
        let again = interest.answered(isLive: true)
        #expect(again.isEmpty, "nobody goes on twice")
        var loops: [Int] = []
        interest.loops.forEach { loops.append($0) }
        #expect(loops == [1, 2, 3])
        for loop in loops { interest.release(loop) }
        #expect(interest.loops.isEmpty)
    }

    @Test("a topic that was refused is requested again")
    func refusedInterest() {
        var interest = TopicInterest<Int>()
        _ = interest.add(LoopSet(), 1)
        interest.add(LoopSet(4))
        #expect(interest.loops == LoopSet(4))
        let refused = interest.answered(isLive: false)
        #expect(refused == [1])
        guard case .subscribe = interest.add(LoopSet(), 2) else { return fail("requested again") }
        let waited = interest.answered(isLive: true)
        #expect(waited == [2])
    }

    private func fail(_ fact: Comment) {
        Issue.record(fact)
    }

    // MARK: EncodingCounts

    @Test("an encoding is in use as long as a socket has it", arguments: Encoding.all)
    func encodingCounts(_ encoding: Encoding) {
        var counts = EncodingCounts()
        for _ in 1...2 { counts.add(encoding) }
        #expect(Encoding.all.filter { counts.inUse.contains($0) } == [encoding])
        counts.remove(encoding)
        #expect(counts.inUse.contains(encoding))
        counts.remove(encoding)
        #expect(counts.inUse == [])
    }

    // MARK: BusInbox

    private static func signals(_ seqs: ClosedRange<Int64>) -> [BusSignal] {
        GateRun.events(seqs).map { .event($0) }
    }

    @Test("signals leave in order, and one reader is called at a time", arguments: [1, 2, 3, 7, 10, 11])
    func inbox(_ limit: Int) {
        var inbox = BusInbox()
        let signals = Self.signals(1...10)
        var calls: [Bool] = []
        for signal in signals { calls.append(inbox.put(signal)) }
        #expect(calls == [true] + Array(repeating: false, count: 9))
        var taken: [BusSignal] = []
        var isMore = true
        while isMore {
            let part = inbox.take(atMost: limit)
            #expect(part.signals.count <= limit)
            taken += part.signals
            isMore = part.isMore
        }
        #expect(taken == signals)
        let isCalledAgain = inbox.put(signals[0])
        #expect(isCalledAgain, "by the next burst")
    }

    @Test("a full inbox drops events, never control events, and says so at its end")
    func fullInbox() {
        var inbox = BusInbox()
        let event = BusSignal.event(GateRun.event(1))
        let control = BusSignal.control(.removed(GateRun.thread), UserID(trusted: "ann"))
        for _ in 0..<BusInbox.limit { _ = inbox.put(event) }
        _ = inbox.put(event)
        _ = inbox.put(control)
        let first = inbox.take(atMost: 1)
        #expect(first.signals.count == 1 && first.isMore)
        let rest = inbox.take(atMost: .max / 2)
        #expect(rest.signals.count == BusInbox.limit + 1)
        #expect(rest.signals.suffix(2) == [control, .resubscribed])
        #expect(!rest.isMore)
        _ = inbox.put(event)
        let next = inbox.take(atMost: 10)
        #expect(next.signals == [event], "said once")
    }

    // MARK: PendingJoin

    struct Settling: Sendable {
        let name: String
        var after: Int64 = 0
        var log: [Int64] = []
        var passed: [Int64] = []
        /// `nil`: nothing is known of where the others are.
        var delivered: Int64?
        var replay: [Int64] = []
        var ahead: [Int64] = []
    }

    static let settlings = [
        Settling(name: "nothing there"),
        Settling(name: "all from the log", log: [1, 2, 3], delivered: 3, replay: [1, 2, 3]),
        Settling(name: "from where it may be seen", after: 2, log: [3, 4], delivered: 4, replay: [3, 4]),
        Settling(name: "what passed meanwhile", log: [1, 2], passed: [3, 4], delivered: 4, replay: [1, 2, 3, 4]),
        Settling(name: "in both", log: [1, 2, 3], passed: [2, 3], delivered: 3, replay: [1, 2, 3]),
        Settling(name: "the log is ahead", log: [1, 2, 3, 4], delivered: 2, replay: [1, 2], ahead: [3, 4]),
        Settling(name: "a hole leaves the older", log: [1, 2, 4], passed: [5], delivered: 5, replay: [4, 5]),
        Settling(name: "nobody has had any", after: 1, log: [2, 3], ahead: [2, 3]),
        Settling(name: "admitted at the end", after: 3, log: [], delivered: 3),
    ]

    @Test("a newcomer is shown what the others have, once, without a hole", arguments: settlings)
    func pendingJoin(_ settling: Settling) {
        var pendingJoin = Self.pendingJoin(after: settling.after)
        for seq in settling.passed { pendingJoin.record(GateRun.event(seq)) }
        let (replay, ahead) = pendingJoin.settle(
            settling.log.map { GateRun.event($0) },
            delivered: settling.delivered.map { Position(epoch: Epoch("a"), seq: $0) })
        #expect(replay.map(\.position.seq) == settling.replay, "\(settling.name)")
        #expect(ahead.map(\.position.seq) == settling.ahead, "\(settling.name)")
    }

    @Test("a newcomer is shown the newest, up to the limit")
    func joinLimit() {
        var pendingJoin = Self.pendingJoin(after: 0)
        let last = Int64(5 * PendingJoin.limit + 3)
        for event in GateRun.events(1...last) { pendingJoin.record(event) }
        let replay = pendingJoin.settle([], delivered: Position(epoch: Epoch("a"), seq: last)).replay
        #expect(replay.map(\.position.seq) == Array((last - Int64(PendingJoin.limit) + 1)...last))
    }

    private static func pendingJoin(after: Int64) -> PendingJoin {
        let thread = ThreadInfo(id: GateRun.thread, kind: .room, title: "gate")
        return PendingJoin(
            number: 1, user: UserID(trusted: "ann"), membership: Membership(thread: thread, role: .member), after: after
        )
    }
}
