import ParleyFanOut
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("A user who is removed from a thread gets the own `left` and nothing behind it")
struct HubLeaveTests {
    private let bob = HubRun.bob.id

    /// A hub where Bob is a member on loop 0 and Ann on loop 1, and event 1 was delivered.
    private func makeRun() -> HubRun {
        var run = HubRun()
        run.open(HubRun.ann, in: [HubRun.thread], on: 1)
        run.open(HubRun.bob, in: [HubRun.thread], on: 0)
        run.receive(1...1)
        run.forgetDeliveries()
        return run
    }

    private func left(_ seq: Int64) -> LogEvent {
        var event = GateRun.event(seq)
        event.body = .left(HubRun.bob, by: bob)
        return event
    }

    private func removed(_ seq: Int64) -> ControlEvent {
        .removed(HubRun.thread, left: left(seq).position)
    }

    @Test("the `left` is awaited, and the removal follows it")
    func awaited() {
        var run = makeRun()
        run.receive(removed(3))
        #expect(run.delivered[0] == [.leaving(bob)])
        run.receive([.event(GateRun.event(2)), .event(left(3)), .event(GateRun.event(4))])
        #expect(run.delivered[0] == [.leaving(bob), .frame(2), .frame(3), .hasLeft(bob), .frame(4)])
        #expect(run.seqs(1) == [2, 3, 4])
    }

    @Test("a `left` that was delivered is not awaited, nor one whose place is not known", arguments: [true, false])
    func immediate(_ isKnown: Bool) {
        var run = makeRun()
        if isKnown { run.receive([.event(left(2))]) }
        run.receive(isKnown ? removed(2) : .removed(HubRun.thread))
        #expect(run.delivered[0].last == .removed(bob))
        #expect(run.timers.isEmpty)
    }

    @Test("an event behind the `left` is not delivered before the removal, if the `left` is lost")
    func lost() {
        var run = makeRun()
        run.receive(removed(2))
        run.receive(3...3)
        run.log = GateRun.events(3...3)
        run.answerAll()
        #expect(run.delivered[0] == [.leaving(bob), .hasLeft(bob), .lostTrack, .frame(3)])
    }

    @Test("when the numbering starts over, the removal is not put off any longer")
    func renumbered() {
        var run = makeRun()
        run.receive(removed(3))
        run.receive(2...2, "b")
        run.log = GateRun.events(2...2, "b")
        run.answerAll()
        #expect(run.delivered[0] == [.leaving(bob), .hasLeft(bob), .renumbered(from: 2, to: 1), .frame(2)])
    }

    @Test("the `left` is awaited for a limited time; a timer of an earlier leave does nothing")
    func timer() {
        var run = makeRun()
        run.receive(removed(2))
        run.receive([.event(left(2))])
        run.receive(removed(4))
        #expect(run.timers.count == 2)
        run.fireTimer()
        #expect(run.delivered[0].filter { $0 == .hasLeft(bob) }.count == 1)
        run.fireTimer()
        #expect(run.delivered[0].filter { $0 == .hasLeft(bob) }.count == 2)
        run.receive(3...3)
        #expect(run.delivered[0].last == .frame(3))
    }

    @Test("who comes back meanwhile joins behind the `left`")
    func comesBack() {
        var run = makeRun()
        run.log = GateRun.events(1...1)
        run.receive(removed(2))
        run.beginJoin(after: 2, waiter: 1)
        #expect(run.pending.isEmpty)
        run.receive([.event(left(2)), .event(GateRun.event(3))])
        run.log += [left(2), GateRun.event(3)]
        run.answerAll()
        run.receive(4...4)
        #expect(run.resumed == [1])
        #expect(
            run.delivered[0] == [
                .leaving(bob), .frame(2), .hasLeft(bob), .frame(3), .joined(bob, after: 2, replay: [3], token: 1),
                .frame(4),
            ])
    }

    @Test("who comes back and is removed again does not join")
    func removedAgain() {
        var run = makeRun()
        run.receive(removed(2))
        run.beginJoin(after: 2, waiter: 1)
        run.receive(removed(4))
        #expect(run.resumed == [1])
        run.receive([.event(left(2)), .event(GateRun.event(3)), .event(left(4))])
        #expect(run.pending.isEmpty)
        #expect(run.delivered[0] == [.leaving(bob), .frame(2), .hasLeft(bob), .frame(3), .frame(4)])
    }

    @Test("a membership that the store has no more ends with the next `left` of the user")
    func foundEnded() {
        var run = makeRun()
        let snapshot = UserSnapshot(user: HubRun.bob, version: 1, credentialsVersion: 0, memberships: [])
        run.handle { hub, actions in hub.update(to: [snapshot], readAfter: 0, number: 1, &actions) }
        var outcome = SnapshotOutcome()
        outcome.ended = [bob: [HubRun.thread]]
        run.handle { hub, actions in hub.updated(1, outcome, &actions) }
        run.receive([.event(GateRun.event(2)), .event(left(3))])
        #expect(
            run.delivered[0] == [.snapshots([bob], update: 1), .leaving(bob), .frame(2), .frame(3), .hasLeft(bob)])
    }
}
