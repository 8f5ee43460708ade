import ParleyFanOut
import ParleyModel
import ParleyTestContracts
import ParleyWire
import Testing

@Suite("The hub delivers each event of a thread once, in order, to the loops that want it")
struct HubOrderTests {
    @Test("events go to the loops that want the thread, and to no others")
    func interest() {
        var run = HubRun.withAnn()
        run.receive(1...3)
        #expect(run.delivered == [[], [.frame(1), .frame(2), .frame(3)]])
        run.subscribe(to: [.thread(HubRun.thread)], for: 0, waiter: 1)
        run.receive(4...4)
        #expect(run.delivered == [[.frame(4)], [.frame(1), .frame(2), .frame(3), .frame(4)]])
        run.receive([.event(Samples.event("1", in: Samples.thread("other"), seq: 1))])
        #expect(run.seqs(1) == [1, 2, 3, 4])
        #expect(run.counts.isEmpty)
    }

    @Test("so do ephemeral events, acknowledgements of the store, and events of other systems")
    func ephemeral() {
        var run = HubRun.withAnn()
        let signals: [BusSignal] = [
            .ephemeral(.stored(seq: 5, epoch: Epoch("a")), HubRun.thread),
            .foreign(ForeignEvent(json: Array("{}".utf8)), HubRun.thread),
        ]
        run.receive(signals)
        #expect(run.delivered == [[], [.stored(5), .frame(nil)]])
        run.release([.thread(HubRun.thread)], by: 1)
        run.receive(signals)
        #expect(run.delivered[1].count == 2)
    }

    @Test("a gap is read from the log, and what comes meanwhile waits")
    func gap() {
        var run = HubRun.withAnn()
        run.receive(1...2)
        run.receive(5...6)
        #expect(run.pending == [.readEvents(HubRun.thread, after: 2)])
        run.receive(7...7)
        #expect(run.seqs(1) == [1, 2])
        run.log = GateRun.events(1...6)
        run.answer()
        #expect(run.seqs(1) == Array(1...7))
        #expect(run.pending.isEmpty)
        #expect(run.counts == [.gap, .repair])
        run.receive(6...8)
        #expect(run.seqs(1) == Array(1...8))
        #expect(run.counts == [.gap, .repair, .repeated, .repeated])
    }

    @Test("what the log does not have is given up, and the loops are told before the rest")
    func lost() {
        var run = HubRun.withAnn()
        run.receive(1...1)
        run.receive(4...5)
        run.log = GateRun.events(4...5)
        run.answerAll()
        #expect(run.delivered[1] == [.frame(1), .lostTrack, .frame(4), .frame(5)])
        #expect(run.counts == [.gap, .lost(2), .repair])
    }

    @Test("while the log cannot be read, what does not continue a thread is given up, and its loops are told")
    func unconfirmed() {
        var run = HubRun.withAnn()
        run.receive(1...1)
        run.receive(4...5)
        run.isLogAway = true
        run.answerAll()
        #expect(run.delivered[1] == [.frame(1), .lostTrack])
        #expect(run.counts == [.gap, .lost(2)])
        run.isLogAway = false
        run.log = GateRun.events(1...6)
        run.receive(6...6)
        run.answerAll()
        #expect(run.seqs(1) == Array(1...6))
    }

    @Test("a thread that began far above its log returns to it with the next head check", arguments: [0, 1] as [Int64])
    func retreats(excess: Int64) {
        var run = HubRun()
        run.isLogAway = true
        run.subscribe(to: [.thread(HubRun.thread)], for: 1, waiter: 1)
        run.answerAll()
        let foreign = 3 + Position.reach + excess
        run.receive(foreign...foreign)
        #expect(run.seqs(1) == [foreign])
        run.isLogAway = false
        run.log = GateRun.events(1...3)
        run.handle { hub, actions in hub.checkHeads(parts: 1, &actions) }
        run.answerAll()
        run.receive(4...4)
        #expect(run.delivered[1].contains(.lostTrack) == (excess > 0))
        #expect(run.seqs(1) == (excess > 0 ? [foreign, 4] : [foreign]))
    }

    @Test("after a cut of the bus every thread is read, and nothing is lost or delivered twice")
    func resubscribed() {
        var run = HubRun.withAnn()
        run.receive(1...3)
        run.receive([.resubscribed])
        #expect(run.resubscriptions == 1)
        #expect(run.pending == [.readEvents(HubRun.thread, after: 3)])
        run.receive(7...8)
        #expect(run.seqs(1) == [1, 2, 3], "events wait for the reading")
        run.log = GateRun.events(1...7)
        run.answer()
        #expect(run.seqs(1) == Array(1...8))
        run.receive([.resubscribed])
        run.log = GateRun.events(1...8)
        run.answerAll()
        #expect(run.seqs(1) == Array(1...8))
    }

    @Test("an event that was lost with none after it is found by the head check")
    func headCheck() {
        var run = HubRun.withAnn()
        run.receive(1...3)
        run.log = GateRun.events(1...3)
        run.handle { hub, actions in hub.checkHeads(parts: 30, &actions) }
        #expect(run.pending == [.readEnds([HubRun.thread])])
        run.answer()
        #expect(run.pending.isEmpty, "a thread that ends where its log does is not read")
        run.handle { hub, actions in hub.checkHeads(parts: 30, &actions) }
        run.log = GateRun.events(1...4)
        run.answer()
        #expect(run.pending == [.readEvents(HubRun.thread, after: 3)])
        run.answer()
        #expect(run.seqs(1) == [1, 2, 3, 4])
    }

    @Test("a round of the head check has every thread once", arguments: [1, 2, 29, 30, 31, 100])
    func headCheckRound(_ count: Int) {
        var run = HubRun()
        let threads = (1...count).map { Samples.thread("t\($0)") }
        run.subscribe(to: threads.map { .thread($0) }, for: 0, waiter: 1)
        run.answerAll()
        var checked: [ThreadID] = []
        for _ in 1...30 where checked.count < count {
            run.handle { hub, actions in hub.checkHeads(parts: 30, &actions) }
            if case .readEnds(let part) = run.pending.last { checked += part }
        }
        #expect(checked.count == count)
        #expect(Set(checked) == Set(threads))
    }

    @Test("when the numbering starts over, the loops learn of it before its first event")
    func renumbered() {
        var run = HubRun.withAnn()
        run.receive(1...5)
        run.receive(4...4, "b")
        #expect(run.pending == [.readEvents(HubRun.thread, after: 0)])
        run.log = GateRun.events(4...4, "b")
        run.answerAll()
        run.receive(6...6)
        run.receive(5...5, "b")
        let end: [HubRun.Delivery] = [.frame(5), .renumbered(from: 4, to: 5), .frame(4), .frame(5)]
        #expect(Array(run.delivered[1].dropFirst(4)) == end)
    }

    @Test("no more is held than the limit; the rest is read from the log", arguments: [-1, 0, 1, 500] as [Int64])
    func holdLimit(_ difference: Int64) {
        var run = HubRun.withAnn()
        let last = Int64(SequenceGate.holdLimit) + difference + 2
        run.receive(1...1)
        run.receive(3...last)
        run.log = GateRun.events(1...last)
        run.answerAll()
        #expect(run.seqs(1) == Array(1...last))
        run.receive((last + 1)...(last + 1))
        #expect(run.seqs(1).last == last + 1)
    }
}
