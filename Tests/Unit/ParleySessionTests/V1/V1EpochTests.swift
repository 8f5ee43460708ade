import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite("Resuming across a change of epoch") struct V1EpochTests {
    private static let room = V1Run.room
    private static let epoch = V1Run.epoch

    /// Opens a session whose client then resumes.
    private func resume(_ threads: [ThreadID: Position], _ run: inout V1Run) -> [V1Session.Action] {
        run = V1Run(isLive: false)
        _ = run.open()
        return run.receive(.resume(threads), ref: 1)
    }

    private func resume(_ seq: Int64, _ run: inout V1Run) -> [V1Session.Action] {
        resume([Self.room: V1Run.position(seq)], &run)
    }

    @Test("after a new epoch the client reloads from the end of the stored part of the former one")
    func rolledBack() {
        var run = V1Run()
        _ = resume([Self.room: V1Run.position(40, Epoch("old"))], &run)
        #expect(run.findEnds([Self.room: V1Run.position(44)]) == [.readStore(Self.room, after: 0, limit: 1000)])
        let events = (36...38).map { V1Run.event($0, epoch: Epoch("old")) } + V1Run.events(39...44)
        let actions = run.readStore(LogPage(events: events, hasMore: false, head: V1Run.head(44)))
        #expect(actions.resumed == [Self.room: V1Resumption(.rolledBack, epoch: Self.epoch, from: 39, to: 40)])
        #expect(run.deliver(45...45).isWritten)
    }

    @Test("a client that has only what is left notices nothing of a new epoch")
    func continued() {
        let old = Epoch("old")
        let stored = (36...40).map { V1Run.event($0, epoch: old) }
        var run = V1Run()
        _ = resume([Self.room: V1Run.position(40, old)], &run)
        _ = run.findEnds([Self.room: V1Run.position(40)])
        let actions = run.readStore(LogPage(events: stored, hasMore: false, head: V1Run.head(40)))
        #expect(actions.resumed == [Self.room: V1Resumption(.live, epoch: Self.epoch, from: 41, to: 40)])
        // What came in the former epoch after it is sent, and what came in the new one.
        _ = resume([Self.room: V1Run.position(38, old)], &run)
        _ = run.findEnds([Self.room: V1Run.position(41)])
        #expect(
            run.readStore(LogPage(events: stored, hasMore: false, head: V1Run.head(40)))
                == [.readLog(Self.room, after: 38, limit: 3)])
        _ = run.readLog(LogSlice(epoch: Self.epoch, events: V1Run.events(41...41), end: 41, isTruncated: true))
        let rest = LogPage(events: Array(stored.suffix(2)), hasMore: false, head: V1Run.head(40))
        #expect(run.readStore(rest).seqs == [39, 40])
        _ = run.drained()
        #expect(run.readLog(41...41).seqs == [41])
        #expect(
            run.drained().resumed
                == [Self.room: V1Resumption(.replayed, epoch: Self.epoch, from: 39, to: 41)])
    }

    @Test("if nothing of the former epoch is found, everything is reloaded")
    func rolledBackFromStart() {
        var run = V1Run()
        _ = resume([Self.room: V1Run.position(40, Epoch("old"))], &run)
        _ = run.findEnds([Self.room: V1Run.position(9)])
        let actions = run.readStore(LogPage(events: V1Run.events(1...9), hasMore: false, head: nil))
        #expect(actions.resumed?[Self.room] == V1Resumption(.rolledBack, epoch: Self.epoch, from: 1, to: 40))
    }

    @Test("nothing is called void while the store cannot tell; after 5 s the client resumes on another connection")
    func unknownEnd() {
        // The store refuses at once, or does not answer.
        for refuses in [true, false] {
            var run = V1Run()
            _ = resume([Self.room: V1Run.position(40, Epoch("old"))], &run)
            let search = V1Session.Action.readStore(Self.room, after: 0, limit: 1000)
            var actions = run.findEnds([Self.room: V1Run.position(44)])
            #expect(actions.contains(search))
            let begin = run.now
            while refuses, run.now - begin < 4_500_000 {
                #expect(run.readStore(nil) == [.wake(after: V1Session.retryDelay)])
                #expect(run.wake(after: V1Session.retryDelay).contains(search))
            }
            actions = run.wake(after: V1Session.storeLimit - (run.now - begin))
            #expect(actions == [.close(.unavailable)])
            #expect(run.readStore(nil).isEmpty)
        }
    }

    @Test("a store that answers for one thread after the other has 5 s for each")
    func slowSearches() {
        let rooms = (1...12).map { ThreadID(trusted: "r\($0)") }
        var run = V1Run(isLive: false)
        for room in rooms {
            run.client.memberships[room] = Membership(
                thread: ThreadInfo(id: room, kind: .room, title: room.text), role: .member)
        }
        _ = run.open()
        let positions = rooms.map { ($0, V1Run.position(4, Epoch("old"))) }
        _ = run.receive(.resume(Dictionary(uniqueKeysWithValues: positions)), ref: 1)
        var actions = run.findEnds(Dictionary(uniqueKeysWithValues: rooms.map { ($0, V1Run.position(9)) }))
        var asked: [ThreadID] = []
        var resumed: [ThreadID: V1Resumption]?
        while resumed == nil {
            asked += actions.compactMap { if case .readStore(let thread, _, _) = $0 { thread } else { nil } }
            guard !asked.isEmpty else { break }
            #expect(run.wake(after: V1Session.storeLimit - 1).closes.isEmpty)
            actions = run.readStore(LogPage(events: [], hasMore: false, head: nil), in: asked.removeFirst())
            resumed = actions.resumed
        }
        #expect(resumed?.count == rooms.count)
    }

    @Test("a client that has seen nothing has nothing void, whatever the epoch")
    func fromNothing() {
        var run = V1Run()
        _ = resume([Self.room: Position(epoch: Epoch(""), seq: 0)], &run)
        #expect(run.findEnds([Self.room: V1Run.position(2)]) == [.readLog(Self.room, after: 0, limit: 2)])
        _ = resume([Self.room: Position(epoch: Epoch(""), seq: 0)], &run)
        #expect(run.findEnds([:]).resumed == [Self.room: V1Resumption(.live, from: 1, to: 0)])
        _ = resume(3, &run)
        #expect(run.findEnds([:]).resumed == [Self.room: V1Resumption(.rolledBack, from: 1, to: 3)])
    }

    @Test("an epoch that changes during a replay rolls replayed events back too")
    func overtaken() {
        var run = V1Run()
        _ = resume(5, &run)
        _ = run.findEnds([Self.room: V1Run.position(200)])
        _ = run.readLog(6...69)
        _ = run.deliver(70...70, epoch: Epoch("new"))
        _ = run.drained()
        let slice = LogSlice(epoch: Epoch("new"), events: [], end: 0, isTruncated: true)
        #expect(run.readLog(slice) == [.readStore(Self.room, after: 0, limit: 1000)])
        let page = LogPage(events: V1Run.events(1...60), hasMore: false, head: nil)
        let actions = run.readStore(page)
        #expect(actions.resumed == [Self.room: V1Resumption(.rolledBack, from: 61, to: 69)])
        #expect(actions.seqs == [70])
    }

    @Test("a client ahead of this node gets only unseen events once the node has caught up")
    func ahead() {
        var run = V1Run()
        _ = resume(7, &run)
        #expect(run.findEnds([Self.room: V1Run.position(5)]) == [.readLog(Self.room, after: 6, limit: 1)])
        _ = run.deliver(6...6)
        let actions = run.readLog(7...7)
        #expect(actions.resumed == [Self.room: V1Resumption(.live, epoch: Self.epoch, from: 8, to: 7)])
        #expect(actions.seqs.isEmpty)
        let late = run.deliver(7...8)
        #expect(late.isWritten == false)
        #expect(late.actions.seqs == [8])
        #expect(run.deliver(9...9).isWritten)
    }

    /// A session whose client has come from a node that is in a newer epoch than this one, and has asked for a resume.
    private func aheadOfTheEpoch() -> V1Run {
        var run = V1Run()
        _ = resume([Self.room: V1Run.position(7, Epoch("new"))], &run)
        #expect(run.findEnds([Self.room: V1Run.position(5)]) == [.readStore(Self.room, after: 0, limit: 1000)])
        return run
    }

    /// What the store has for it.
    private static let store = LogPage(
        events: V1Run.events(1...5) + (6...7).map { V1Run.event($0, epoch: Epoch("new")) }, hasMore: false, head: nil)

    private static func renumbered(_ resumption: V1Resumption, _ run: inout V1Run) -> [V1Session.Action] {
        run.step { session, _, actions in session.rolledBack(room, resumption, &actions) }
    }

    @Test("a client ahead of a node that is still in the former epoch gets nothing twice when the node follows")
    func aheadOfTheEpochLive() {
        let (epoch, live) = (Epoch("new"), V1Resumption(.live, epoch: Epoch("new"), from: 8, to: 7))
        var run = aheadOfTheEpoch()
        #expect(run.readStore(Self.store).resumed == [Self.room: live])
        // An event that was lost with the former epoch comes late.
        let lost = run.deliver(6...6)
        #expect(!lost.isWritten && lost.actions.isEmpty)
        #expect(Self.renumbered(V1Resumption(.live, epoch: epoch, from: 6, to: 5), &run).isEmpty)
        #expect(run.deliver(6...8, epoch: epoch).actions.seqs == [8])
        #expect(run.deliver(9...9, epoch: epoch).isWritten)
    }

    @Test("the same if the node follows while the store is asked")
    func aheadOfTheEpochHeld() {
        let (epoch, live) = (Epoch("new"), V1Resumption(.live, epoch: Epoch("new"), from: 8, to: 7))
        var run = aheadOfTheEpoch()
        _ = run.deliver(6...6)
        _ = Self.renumbered(V1Resumption(.rolledBack, epoch: epoch, from: 6, to: 6), &run)
        _ = run.deliver(6...8, epoch: epoch)
        let actions = run.readStore(Self.store)
        #expect(actions.frames == [.resumed([Self.room: live], ref: 1)])
        #expect(actions.seqs == [8])
        #expect(run.deliver(9...9, epoch: epoch).isWritten)
    }

    @Test("a client ahead of its node is told of what is void in a still newer epoch, and of what it lacks in its own")
    func aheadOfTheEpochInVain() {
        let third = Epoch("third")
        var run = aheadOfTheEpoch()
        _ = run.readStore(Self.store)
        let void = V1Resumption(.rolledBack, epoch: third, from: 6, to: 7)
        #expect(
            Self.renumbered(V1Resumption(.live, epoch: third, from: 6, to: 5), &run)
                == [.send(.resumed([Self.room: void], ref: nil))])
        #expect(run.deliver(6...6, epoch: third).isWritten)
        run = aheadOfTheEpoch()
        _ = run.readStore(Self.store)
        let page = V1Resumption(.page, epoch: Epoch("new"), from: 6, to: 9)
        #expect(Self.renumbered(page, &run) == [.send(.resumed([Self.room: page], ref: nil))])
        #expect(run.deliver(10...10, epoch: Epoch("new")).isWritten)
    }

    @Test("a position that nobody has is rolled back")
    func beyondTheEnd() {
        for seq in [6, Int64.max] {
            var run = V1Run()
            _ = resume(seq, &run)
            _ = run.findEnds([Self.room: V1Run.position(5)])
            let actions = run.readLog(LogSlice(epoch: Self.epoch, events: [], end: 0, isTruncated: false))
            #expect(actions.resumed == [Self.room: V1Resumption(.rolledBack, epoch: Self.epoch, from: 6, to: seq)])
            #expect(run.deliver(6...6).isWritten)
        }
    }

    @Test("a new epoch is sent to live sockets, in order if events are held")
    func unasked() {
        var run = V1Run()
        let resumption = V1Resumption(.rolledBack, epoch: Epoch("new"), from: 4, to: 6)
        let tell: (inout V1Run) -> [V1Session.Action] = { run in
            run.step { session, _, actions in session.rolledBack(Self.room, resumption, &actions) }
        }
        #expect(tell(&run) == [.send(.resumed([Self.room: resumption], ref: nil))])
        run = V1Run(isLive: false)
        _ = run.open()
        _ = run.deliver(6...6)
        #expect(tell(&run).isEmpty)
        _ = run.deliver(4...4, epoch: Epoch("new"))
        let actions = run.wake(after: V1Session.holdTime)
        #expect(actions.seqs == [6, 4])
        #expect(actions.count == 3)
    }
}
