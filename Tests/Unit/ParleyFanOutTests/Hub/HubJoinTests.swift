import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("A user who is added to a thread misses no event and sees none twice")
struct HubJoinTests {
    @Test("events that pass while the log is read are replayed in order")
    func eventsFlow() {
        var run = HubRun.withAnn()
        run.receive(1...4)
        run.beginJoin(after: 2, waiter: 1)
        #expect(run.pending == [.readNewest(HubRun.thread, after: 2, join: 1)])
        run.log = GateRun.events(1...5)
        run.receive(5...6)
        #expect(run.delivered[0].isEmpty)
        run.answer()
        run.receive(7...7)
        #expect(
            run.delivered[0] == [.joined(HubRun.bob.id, after: 2, replay: [3, 4, 5, 6], token: 1), .frame(7)])
        #expect(run.seqs(1) == Array(1...7))
        #expect(run.resumed == [1])
        #expect(run.reloads == [HubRun.bob.id], "the membership may have ended meanwhile")
    }

    /// After which of five events each step happens.
    private struct Moments {
        var begin: Int64
        var read: Int64
        var answer: Int64
        /// The user may see the log after this seq.
        var after: Int64

        static let last: Int64 = 5

        static let all = (0...last).flatMap { begin in
            (begin...last).flatMap { read in
                (read...last).flatMap { answer in
                    (0...begin).map { Moments(begin: begin, read: read, answer: answer, after: $0) }
                }
            }
        }
    }

    @Test("whenever the join begins, the log is read, and its answer comes", arguments: [true, false])
    func allMoments(_ annIsThere: Bool) {
        for moments in Moments.all {
            let seqs = join(moments, annIsThere)
            guard seqs == Array(1...Moments.last).filter({ $0 > moments.after }) else {
                Issue.record("\(moments): \(seqs)")
                return
            }
        }
        #expect(Moments.all.count == 126)
    }

    /// - Returns: the seqs that Bob gets.
    private func join(_ moments: Moments, _ annIsThere: Bool) -> [Int64] {
        let events = GateRun.events(1...Moments.last)
        func between(_ start: Int64, _ end: Int64) -> [BusSignal] {
            events.filter { $0.position.seq > start && $0.position.seq <= end }.map { .event($0) }
        }
        var run = HubRun()
        if annIsThere { run.open(HubRun.ann, in: [HubRun.thread], on: 1) }
        run.open(HubRun.bob, in: [], on: 0)
        run.receive(between(0, moments.begin))
        run.log = events.filter { $0.position.seq <= moments.begin }
        run.beginJoin(after: moments.after, waiter: 1)
        // A thread that is new to the node is subscribed to first.
        if !annIsThere {
            run.answer()
            run.answer()
        }
        run.receive(between(moments.begin, moments.read))
        run.log = events.filter { $0.position.seq <= moments.read }
        run.receive(between(moments.read, moments.answer))
        run.answerAll()
        run.receive(between(moments.answer, Moments.last))
        return run.bobsSeqs
    }

    @Test("what the log has before the bus brings it is delivered to all, once")
    func logIsAhead() {
        var run = HubRun.withAnn()
        run.receive(1...2)
        run.beginJoin(after: 0, waiter: 1)
        run.log = GateRun.events(1...4)
        run.answer()
        #expect(run.bobsSeqs == Array(1...4))
        #expect(run.seqs(1) == Array(1...4))
        run.receive(3...5)
        #expect(run.bobsSeqs == Array(1...5))
        #expect(run.seqs(1) == Array(1...5))
    }

    @Test("no more is replayed than the limit: the newest")
    func limit() {
        var run = HubRun.withAnn()
        let last = Int64(PendingJoin.limit) + 200
        run.receive(1...last)
        run.log = GateRun.events(1...last)
        run.beginJoin(after: 0, waiter: 1)
        run.answer()
        #expect(run.bobsSeqs == Array((last - Int64(PendingJoin.limit) + 1)...last))
    }

    @Test("a join that shows more replaces the one under way, whose waiters go on with it")
    func replaced() {
        var run = HubRun.withAnn(log: GateRun.events(1...4))
        run.beginJoin(after: 3, waiter: 1)
        run.beginJoin(after: 1, waiter: 2)
        run.beginJoin(after: 2, waiter: 3)
        #expect(run.pending.count == 2, "the third is covered by the second")
        run.answer()
        #expect(run.resumed.isEmpty)
        #expect(run.delivered[0].isEmpty)
        run.answer()
        #expect(run.resumed.sorted() == [1, 2, 3])
        #expect(run.delivered[0] == [.joined(HubRun.bob.id, after: 1, replay: [2, 3, 4], token: 1)])
    }

    @Test("a join of a user who is not here does nothing")
    func notHere() {
        var run = HubRun()
        run.beginJoin(after: 0, waiter: 1)
        #expect(run.resumed == [1])
        #expect(run.pending.isEmpty)
        #expect(run.hub.topicCount == 0)
    }

    @Test("if the bus refuses the thread, the user is reloaded later")
    func refused() {
        var run = HubRun()
        run.open(HubRun.bob, in: [], on: 0)
        run.isBusAway = true
        run.beginJoin(after: 0, waiter: 1)
        run.answerAll()
        #expect(run.resumed == [1])
        #expect(run.reloads == [HubRun.bob.id])
        #expect(run.delivered[0].isEmpty)
        #expect(run.hub.threadCount == 0)
    }

    @Test("if the log is away, the user gets what comes from now on")
    func logAway() {
        var run = HubRun.withAnn()
        run.receive(1...3)
        run.isLogAway = true
        run.beginJoin(after: 0, waiter: 1)
        run.answer()
        run.receive(4...4)
        #expect(run.delivered[0] == [.joined(HubRun.bob.id, after: 3, replay: [], token: 1), .frame(4)])
    }

    @Test("who is removed while the log is read does not come in")
    func removedMeanwhile() {
        var run = HubRun()
        run.open(HubRun.bob, in: [], on: 0)
        run.beginJoin(after: 0, waiter: 1)
        run.answer()
        run.answer()
        run.receive(.removed(HubRun.thread))
        #expect(run.resumed == [1])
        run.answer()
        #expect(run.delivered[0] == [.removed(HubRun.bob.id)])
        #expect(run.timers == [.sweep], "nobody wants the thread")
    }

    @Test("who goes while the log is read leaves nothing behind")
    func goneMeanwhile() {
        var run = HubRun()
        run.open(HubRun.bob, in: [], on: 0)
        run.beginJoin(after: 0, waiter: 1)
        run.release([.user(HubRun.bob.id)], by: 0)
        run.answerAll()
        #expect(run.delivered[0].isEmpty)
        #expect(run.resumed == [1])
        run.now = HubRun.linger
        run.fireTimer()
        #expect(run.hub.topicCount == 0)
    }
}
