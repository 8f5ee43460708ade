import ParleyFanOut
import ParleyModel
import Testing

@Suite("Hub: threads whose host is away")
struct HubAvailabilityTests {
    private let request = PositionRequest(number: 1, threads: [HubRun.thread], loop: 1)

    /// Ann comes to loop 1 while the host of her thread is away.
    private func opened() -> HubRun {
        var run = HubRun()
        run.host.isAway = true
        run.log = GateRun.events(1...4)
        run.subscribe(to: [.user(HubRun.ann.id), .thread(HubRun.thread)], for: 1, waiter: 1)
        run.answerAll()
        return run
    }

    @Test("such a thread keeps nobody waiting, and is unavailable")
    func unavailable() {
        var run = opened()
        #expect(run.resumed == [1])
        #expect(run.failed.isEmpty && run.unsubscribed.isEmpty)
        run.handle { hub, actions in hub.requested(request, &actions) }
        #expect(run.pending.isEmpty, "the log is not read")
        #expect(run.replies == [1: ThreadEnds(unavailable: [HubRun.thread])])
        #expect(run.timers == [.awaited], "once")
    }

    @Test("when the host is back, its sockets are told from where on the thread is delivered")
    func back() {
        var run = opened()
        run.fireTimer()
        #expect(run.pending.isEmpty)
        #expect(run.timers == [.awaited])
        run.host.isAway = false
        run.fireTimer()
        #expect(run.pending == [.readHeads([HubRun.thread], nil)])
        run.answerAll()
        #expect(run.delivered[1] == [.available(after: 4)])
        run.receive(5...5)
        #expect(run.seqs(1) == [5])
        run.fireTimer()
        #expect(run.timers.isEmpty)
        run.handle { hub, actions in hub.requested(request, &actions) }
        #expect(run.replies[1] == ThreadEnds(positions: [HubRun.thread: Position(epoch: Epoch("a"), seq: 5)]))
    }

    @Test("a log that cannot be read yet is read again")
    func again() {
        var run = opened()
        (run.host.isAway, run.isLogAway) = (false, true)
        run.fireTimer()
        run.answerAll()
        #expect(run.delivered[1].isEmpty)
        run.isLogAway = false
        run.fireTimer()
        run.answerAll()
        #expect(run.delivered[1] == [.available(after: 4)])
    }

    @Test("an event that comes before that follows the notice")
    func early() {
        var run = opened()
        run.host.isAway = false
        run.receive(5...6)
        #expect(run.delivered[1] == [.available(after: 4), .frame(5), .frame(6)])
    }

    @Test("a thread that was followed before continues where it was, and newcomers are told so")
    func placed() {
        var run = HubRun.withAnn(log: GateRun.events(1...3))
        run.host.isAway = true
        run.handle { hub, actions in hub.requested(request, &actions) }
        #expect(run.replies[1] == ThreadEnds(unavailable: [HubRun.thread]))
        run.log = GateRun.events(1...5)
        run.host.isAway = false
        run.fireTimer()
        #expect(run.pending == [.readEvents(HubRun.thread, after: 3)])
        run.answerAll()
        #expect(run.delivered[1] == [.available(after: 3), .frame(4), .frame(5)])
    }

    @Test("if the bus is back while the log is read, so that it is read again, the notice still comes first")
    func readTwice() {
        var run = HubRun.withAnn(log: GateRun.events(1...3))
        run.host.isAway = true
        run.handle { hub, actions in hub.requested(request, &actions) }
        run.log = GateRun.events(1...5)
        run.host.isAway = false
        run.fireTimer()
        run.receive([.resubscribed])
        run.answerAll()
        #expect(run.delivered[1] == [.available(after: 3), .frame(4), .frame(5)])
    }

    @Test("with another numbering the notice names its beginning")
    func renumbered() {
        var run = HubRun.withAnn(log: GateRun.events(1...3))
        run.host.isAway = true
        run.handle { hub, actions in hub.requested(request, &actions) }
        run.log = GateRun.events(10...11, "b")
        run.host.isAway = false
        run.fireTimer()
        run.answerAll()
        #expect(run.delivered[1].contains(.available(after: 9)))
        #expect(run.seqs(1) == [10, 11])
    }

    @Test("while a host is away a cut of another one has nothing of it read, nor has the comparison of heads")
    func others() {
        var run = HubRun.withAnn(log: GateRun.events(1...3))
        run.host.isAway = true
        run.receive([.resubscribed])
        run.handle { hub, actions in hub.checkHeads(parts: 1, &actions) }
        #expect(run.pending.isEmpty)
        #expect(run.resubscriptions == 1)
    }

    @Test("a thread that nobody wants any more is not waited for")
    func left() {
        var run = opened()
        run.release([.user(HubRun.ann.id), .thread(HubRun.thread)], by: 1)
        run.now = HubRun.linger
        run.fireTimer()
        run.host.isAway = false
        for _ in 0..<3 { run.fireTimer() }
        #expect(run.pending.isEmpty)
        #expect(run.timers.isEmpty)
    }
}
