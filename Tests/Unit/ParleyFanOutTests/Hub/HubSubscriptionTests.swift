import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("The hub subscribes to what the loops want")
struct HubSubscriptionTests {
    private let thread = BusTopic.thread(HubRun.thread)
    private let ann = BusTopic.user(HubRun.ann.id)

    @Test("a topic is requested once, and its waiters go on when it is live")
    func once() {
        var run = HubRun()
        run.subscribe(to: [ann, thread], for: 0, waiter: 1)
        run.subscribe(to: [thread], for: 1, waiter: 2)
        #expect(run.pending == [.subscribe([ann, thread])])
        run.answer()
        #expect(run.pending == [.readHeads([HubRun.thread], nil)], "a thread is live when its end is known")
        #expect(run.resumed.isEmpty)
        run.answer()
        #expect(run.resumed.sorted() == [1, 2])
        run.subscribe(to: [thread, ann], for: 1, waiter: 3)
        #expect(run.resumed.last == 3, "what is live is not requested again")
        #expect(run.pending.isEmpty)
        #expect(run.hub.topicCount == 2)
        #expect(run.hub.threadCount == 1)
    }

    @Test("a request for several topics is done when the last of them is, and fails as a whole")
    func severalTopics() {
        var run = HubRun()
        run.subscribe(to: [ann], for: 0, waiter: 1)
        run.subscribe(to: [ann, thread], for: 1, waiter: 2)
        run.answer()
        #expect(run.resumed == [1])
        run.isBusAway = true
        run.answerAll()
        #expect(run.resumed == [1])
        #expect(run.failed == [2])
        #expect(run.unsubscribed == [thread], "the bus may have subscribed to it")
        #expect(run.hub.topicCount == 1)
    }

    @Test("a topic that was refused is requested again")
    func refused() {
        var run = HubRun()
        run.isBusAway = true
        run.subscribe(to: [thread], for: 0, waiter: 1)
        run.answerAll()
        run.isBusAway = false
        run.subscribe(to: [thread], for: 0, waiter: 2)
        #expect(run.pending == [.subscribe([thread])])
        run.answerAll()
        #expect(run.failed == [1])
        #expect(run.resumed == [2])
    }

    @Test("without a readable log a thread is live all the same, and begins with its first event")
    func logAway() {
        var run = HubRun()
        run.isLogAway = true
        run.open(HubRun.ann, in: [HubRun.thread], on: 1)
        run.receive(7...8)
        #expect(run.seqs(1) == [7, 8])
    }

    @Test("an unwanted topic is given up after the linger, not before", arguments: [-1, 0, 1] as [Int64])
    func linger(_ difference: Int64) {
        var run = HubRun.withAnn()
        run.release([thread, ann], by: 1)
        #expect(run.timers == [.sweep])
        run.now = HubRun.linger + difference
        run.fireTimer()
        #expect(Set(run.unsubscribed) == (difference < 0 ? [] : [thread, ann]))
        #expect(run.timers == (difference < 0 ? [.sweep] : []))
        #expect(run.hub.topicCount == (difference < 0 ? 3 : 1))
    }

    @Test("a topic that is wanted again stays, and lingers anew after its next release")
    func wantedAgain() {
        var run = HubRun.withAnn()
        run.release([thread], by: 1)
        run.subscribe(to: [thread], for: 0, waiter: 1)
        #expect(run.resumed == [1])
        run.now = HubRun.linger / 2
        run.release([thread], by: 0)
        run.now = HubRun.linger
        run.fireTimer()
        #expect(run.unsubscribed.isEmpty)
        #expect(run.timers == [.sweep])
        run.now = HubRun.linger * 3 / 2
        run.fireTimer()
        #expect(run.unsubscribed == [thread])
    }

    @Test("a topic is not given up before the bus has answered")
    func notLive() {
        var run = HubRun()
        run.subscribe(to: [thread], for: 0, waiter: 1)
        run.release([thread], by: 0)
        run.now = 2 * HubRun.linger
        run.fireTimer()
        #expect(run.unsubscribed.isEmpty)
        run.answerAll()
        run.fireTimer()
        #expect(run.unsubscribed == [thread])
    }

    @Test("a release that has crossed a joined is sent back, and the loop goes on getting events")
    func joinToken() {
        var run = HubRun.withAnn()
        run.receive(.added(HubRun.membership, after: 0))
        run.answerAll()
        #expect(run.delivered[0] == [.joined(HubRun.bob.id, after: nil, replay: [], token: 1)])
        run.release([thread], by: 0, seenJoinToken: 0)
        run.receive(1...1)
        #expect(run.delivered[0].suffix(2) == [.confirm(token: 1), .frame(1)])
        run.release([thread], by: 0, seenJoinToken: 1)
        run.receive(2...2)
        #expect(run.seqs(0) == [1])
        #expect(run.seqs(1) == [1, 2])
    }

    @Test("the position of a thread is replied on the loop, and read from the log if it is not known")
    func positions() {
        var run = HubRun()
        run.isLogAway = true
        run.open(HubRun.ann, in: [HubRun.thread], on: 1)
        let requests = (1...3).map { PositionRequest(number: $0, threads: [HubRun.thread], loop: 1) }
        run.handle { hub, actions in hub.requested(requests[0], &actions) }
        #expect(run.pending == [.readHeads([HubRun.thread], requests[0])])
        run.answerAll()
        let unavailable = ThreadEnds(unavailable: [HubRun.thread])
        #expect(run.replies == [1: unavailable])
        run.isLogAway = false
        run.log = GateRun.events(1...4)
        run.handle { hub, actions in hub.requested(requests[1], &actions) }
        run.answerAll()
        let end = Position(epoch: Epoch("a"), seq: 4)
        #expect(run.replies == [1: unavailable, 2: ThreadEnds(positions: [HubRun.thread: end])])
        run.handle { hub, actions in hub.requested(requests[2], &actions) }
        #expect(run.pending.isEmpty)
        #expect(run.replies[3]?.positions == [HubRun.thread: end])
        #expect(run.hub.progress(in: [HubRun.thread, Samples.thread("other")]) == [HubRun.thread: end])
    }
}
