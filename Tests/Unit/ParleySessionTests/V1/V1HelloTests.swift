import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct V1HelloTests {
    @Test("hello is the first frame, whatever was passed in before")
    func first() {
        var run = V1Run(isLive: false)
        #expect(run.receive(.ping(1), ref: 5).isEmpty)
        #expect(run.receive(V1CommandError(ref: 6, code: .badRequest, message: "x")).isEmpty)
        #expect(run.deliver(1...2).isWritten == false)
        let frames = run.open().frames
        #expect(frames.first == .hello(V1Run.hello([:])))
        #expect(frames.dropFirst().first == .pong(1, serverTime: run.client.milliseconds, ref: 5))
        #expect(frames.count == 3)
    }

    @Test("live events are held until the first command, and sent before its reply")
    func holdsUntilCommand() {
        var run = V1Run(isLive: false)
        #expect(run.open([V1Run.room: V1Run.position(4)]).wakes == [V1Session.holdTime])
        #expect(run.deliver(5...6).isWritten == false)
        #expect(run.deliver(7...7).isWritten == false)
        let actions = run.receive(.ping(1))
        #expect(actions.seqs == [5, 6, 7])
        #expect(actions.first == actions.first { if case .write = $0 { true } else { false } })
        #expect(actions.frames == [.pong(1, serverTime: run.client.milliseconds, ref: nil)])
        #expect(run.deliver(8...8).isWritten)
        #expect(run.wake(after: V1Session.holdTime).isEmpty)
    }

    @Test("live events are held for at most a second")
    func holdsForASecond() {
        var run = V1Run(isLive: false)
        _ = run.open()
        #expect(run.deliver(5...5).isWritten == false)
        #expect(run.wake(after: V1Session.holdTime - 1).isEmpty)
        #expect(run.deliver(6...6).isWritten == false)
        #expect(run.wake(after: 1).seqs == [5, 6])
        #expect(run.deliver(7...7).isWritten)
    }

    @Test("an invalid frame does not end the hold")
    func flawIsNoCommand() {
        var run = V1Run(isLive: false)
        _ = run.open()
        _ = run.deliver(5...5)
        let actions = run.receive(V1CommandError(ref: 9, code: .unknownCommand, message: "x"))
        #expect(actions.errors == [.init(.unknownCommand, 9)])
        #expect(actions.seqs.isEmpty)
        #expect(run.receive(.resume([:])).resumed == [:])
    }

    @Test("events before hello are dropped up to its heads, the rest is held")
    func dropsBelowHeads() {
        var run = V1Run(isLive: false)
        let other = ThreadID(trusted: "other")
        _ = run.deliver(3...4)
        _ = run.deliver(9...9, in: other)
        _ = run.open([V1Run.room: V1Run.position(4)])
        _ = run.deliver(5...5)
        #expect(run.wake(after: V1Session.holdTime).seqs == [9, 5])
    }

    @Test("membership changes are sent in order with the events")
    func membershipInOrder() {
        var run = V1Run(isLive: false)
        let other = V1Run.thread(named: ThreadID(trusted: "other"), head: V1Run.position(3))
        _ = run.open()
        _ = run.deliver(5...5)
        #expect(run.add(other).isEmpty)
        _ = run.deliver(4...4, in: other.thread.id)
        let actions = run.wake(after: V1Session.holdTime)
        #expect(actions.count == 3)
        #expect(actions.seqs == [5, 4])
        #expect(actions[1] == .send(.thread(.added, other)))
        #expect(run.remove(other) == [.send(.thread(.removed, other))])
    }

    @Test("held events of a thread are sent before its removal, the user's own `left` included")
    func removedInOrder() {
        var run = V1Run(isLive: false)
        _ = run.open()
        _ = run.deliver(5...6)
        _ = run.remove(V1Run.thread())
        let actions = run.wake(after: V1Session.holdTime)
        #expect(actions.seqs == [5, 6])
        #expect(actions.last == .send(.thread(.removed, V1Run.thread())))
        #expect(actions.frames.count == 1)
    }

    @Test("held events are dropped if the client resumes and is denied the thread")
    func forgetsOnResume() {
        var run = V1Run(isLive: false)
        _ = run.open()
        _ = run.deliver(5...6)
        _ = run.remove(V1Run.thread())
        _ = run.receive(.resume([V1Run.room: V1Run.position(4)]))
        let actions = run.findThreads([V1Run.room: .nonMember])
        #expect(actions.resumed?[V1Run.room]?.state == .denied)
        #expect(actions.seqs.isEmpty)
        #expect(actions.frames.last == .thread(.removed, V1Run.thread()))
    }

    @Test("at most 64 KiB are held; what does not fit, and later events of its thread, is reported as behind")
    func boundsHold() {
        var run = V1Run(isLive: false)
        let other = ThreadID(trusted: "other")
        _ = run.open()
        _ = run.deliver(1...2, bytes: 30_000)
        _ = run.deliver(3...3, bytes: 10_000)
        _ = run.deliver(4...4, bytes: 100)
        _ = run.deliver(1...1, in: other, bytes: 100)
        let actions = run.wake(after: V1Session.holdTime)
        #expect(actions.seqs == [1, 2, 1])
        #expect(actions.behind == [V1Run.room: 3...4])
        #expect(run.deliver(5...5).isWritten)
    }

    @Test("a thousand membership changes are held; one more closes the connection, to be resumed")
    func boundsControl() {
        var run = V1Run(isLive: false)
        for _ in 0..<1000 { #expect(run.add(V1Run.thread()).isEmpty) }
        #expect(run.add(V1Run.thread()) == [.close(.lostTrack)])
        #expect(CloseReason.lostTrack.code == 4300)
        #expect(run.open().isEmpty)
    }
}
