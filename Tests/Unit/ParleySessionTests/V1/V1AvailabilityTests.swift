import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite("v1: threads that are unavailable")
struct V1AvailabilityTests {
    private static let room = V1Run.room
    private static let epoch = V1Run.epoch

    /// A session whose client resumes its room from a position while that is unavailable, and is told so.
    private func resumed(from seq: Int64) -> V1Run {
        var run = V1Run(isLive: false)
        _ = run.open()
        _ = run.receive(.resume([Self.room: V1Run.position(seq)]), ref: 1)
        let actions = run.findEnds([:], unavailable: [Self.room])
        #expect(actions.resumed == [Self.room: V1Resumption(.unavailable)])
        #expect(run.deliver(1...1, in: ThreadID(trusted: "other")).isWritten, "the others are live")
        return run
    }

    private static let cases: [(seen: Int64, end: Position?, expected: V1Resumption)] = [
        (5, V1Run.position(9), V1Resumption(.page, epoch: epoch, from: 6, to: 9)),
        (5, V1Run.position(5), V1Resumption(.live, epoch: epoch, from: 6, to: 5)),
        (0, V1Run.position(9), V1Resumption(.page, epoch: epoch, from: 1, to: 9)),
        (0, nil, V1Resumption(.live, from: 1, to: 0)),
        (5, nil, V1Resumption(.rolledBack, from: 1, to: 5)),
        (5, Position(epoch: Epoch("e2"), seq: 7), V1Resumption(.rolledBack, epoch: Epoch("e2"), from: 1, to: 7)),
    ]

    @Test("a client is told what it lacks when its thread is back", arguments: cases)
    func back(_ seen: Int64, _ end: Position?, _ expected: V1Resumption) {
        var run = resumed(from: seen)
        #expect(run.becomeAvailable(end) == [.send(.resumed([Self.room: expected], ref: nil))])
        #expect(run.becomeAvailable(end).isEmpty, "once")
        let next = (end?.seq ?? 0) + 1
        #expect(run.deliver(next...next).isWritten)
    }

    @Test("what a client has seen on another node is not sent again")
    func ahead() {
        var run = resumed(from: 8)
        let live = V1Resumption(.live, epoch: Self.epoch, from: 9, to: 8)
        #expect(run.becomeAvailable(V1Run.position(6)).resumed == [Self.room: live])
        #expect(run.deliver(7...9).actions.seqs == [9])
        #expect(run.deliver(10...10).isWritten)
    }

    @Test("the same if the thread is back while the others are resumed")
    func aheadDuringResume() {
        let other = ThreadID(trusted: "other")
        var run = V1Run(isLive: false)
        run.client.memberships[other] = Membership(
            thread: ThreadInfo(id: other, kind: .room, title: "Other"), role: .member)
        _ = run.open()
        _ = run.receive(.resume([Self.room: V1Run.position(8), other: V1Run.position(1)]), ref: 1)
        _ = run.findEnds([other: V1Run.position(2)], unavailable: [Self.room])
        #expect(run.becomeAvailable(V1Run.position(6)).isEmpty)
        _ = run.deliver(7...9)
        _ = run.readLog(2...2, in: other)
        let actions = run.drained()
        #expect(actions.frames.count == 2)
        #expect(actions.seqs == [9])
        #expect(run.deliver(10...10).isWritten)
    }

    @Test("what a client has seen on another node is void if the epoch ends before it has come here")
    func aheadOfTheEpoch() {
        var run = resumed(from: 8)
        _ = run.becomeAvailable(V1Run.position(6))
        let epoch = Epoch("e2")
        // All that was delivered here is valid.
        let live = V1Resumption(.live, epoch: epoch, from: 7, to: 6)
        let actions = run.step { session, _, actions in session.rolledBack(Self.room, live, &actions) }
        #expect(actions.resumed == [Self.room: V1Resumption(.rolledBack, epoch: epoch, from: 7, to: 8)])
        #expect(run.deliver(7...7).isWritten)
    }

    /// A session whose hello has called its room unavailable.
    private func greeted(_ run: V1Run = V1Run(isLive: false)) -> V1Run {
        var run = run
        _ = run.step { session, moment, actions in
            var hello = V1Run.hello([:])
            hello.threads = [
                V1Thread(
                    thread: ThreadInfo(id: Self.room, kind: .room, title: "Room"), role: .member, isUnavailable: true)
            ]
            session.opened(hello, at: moment, &actions)
        }
        return run
    }

    @Test("what came before a thread became unavailable is not sent: the client may lack what was before it")
    func heldBefore() {
        var run = V1Run(isLive: false)
        _ = run.open()
        _ = run.deliver(51...51)
        _ = run.receive(.resume([Self.room: V1Run.position(49)]), ref: 1)
        #expect(run.findEnds([:], unavailable: [Self.room]).seqs.isEmpty)
        let page = V1Resumption(.page, epoch: Self.epoch, from: 50, to: 51)
        #expect(run.becomeAvailable(V1Run.position(51)).resumed == [Self.room: page])
        #expect(run.deliver(52...52).isWritten)
        run = V1Run(isLive: false)
        _ = run.deliver(51...51)
        run = greeted(run)
        #expect(run.wake(after: V1Session.holdTime).seqs.isEmpty)
    }

    @Test("a client that does not resume is told of the threads that hello has listed as unavailable, and of no others")
    func withoutResume() {
        var run = greeted()
        _ = run.wake(after: V1Session.holdTime)
        #expect(run.becomeAvailable(V1Run.position(1), ThreadID(trusted: "other")).isEmpty)
        let page = V1Resumption(.page, epoch: Self.epoch, from: 1, to: 3)
        #expect(run.becomeAvailable(V1Run.position(3)).resumed == [Self.room: page])
    }

    @Test("a thread that can be resumed again is not reported once more when the hub notices that it is back")
    func resumedFirst() {
        var run = greeted()
        _ = run.receive(.resume([Self.room: V1Run.position(5)]), ref: 1)
        let live = V1Resumption(.live, epoch: Self.epoch, from: 6, to: 5)
        #expect(run.findEnds([Self.room: V1Run.position(5)]).resumed == [Self.room: live])
        #expect(run.becomeAvailable(V1Run.position(5)).isEmpty)
        #expect(run.deliver(6...6).isWritten)
    }

    @Test("a thread that is back before the client resumes is reported by the answer only")
    func backFirst() {
        var run = greeted()
        #expect(run.becomeAvailable(V1Run.position(7)).isEmpty)
        _ = run.receive(.resume([Self.room: V1Run.position(5)]), ref: 1)
        let actions = run.findEnds([Self.room: V1Run.position(5)])
        #expect(actions.resumed == [Self.room: V1Resumption(.live, epoch: Self.epoch, from: 6, to: 5)])
        #expect(actions.count { if case .send(.resumed) = $0 { true } else { false } } == 1)
    }
}
