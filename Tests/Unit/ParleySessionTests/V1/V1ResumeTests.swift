import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct V1ResumeTests {
    private static let room = V1Run.room
    private static let epoch = V1Run.epoch
    private static let other = ThreadID(trusted: "other")

    /// Opens a session whose client then resumes.
    private func resume(_ threads: [ThreadID: Position], _ run: inout V1Run) -> [V1Session.Action] {
        run = V1Run(isLive: false)
        run.client.memberships[Self.other] = Membership(
            thread: ThreadInfo(id: Self.other, kind: .room, title: "Other"), role: .member)
        _ = run.open()
        return run.receive(.resume(threads), ref: 1)
    }

    private func resume(_ seq: Int64, _ run: inout V1Run) -> [V1Session.Action] {
        resume([Self.room: V1Run.position(seq)], &run)
    }

    @Test("a resume without threads completes at once")
    func nothing() {
        var run = V1Run()
        let actions = resume([:], &run)
        #expect(actions == [.send(.resumed([:], ref: 1))])
        #expect(run.deliver(1...1).isWritten)
    }

    @Test("a thread without missing events is live")
    func live() {
        var run = V1Run()
        #expect(resume(5, &run) == [.findEnds([Self.room])])
        let actions = run.findEnds([Self.room: V1Run.position(5)])
        #expect(actions.resumed == [Self.room: V1Resumption(.live, epoch: Self.epoch, from: 6, to: 5)])
        #expect(run.deliver(6...6).isWritten)
    }

    @Test("missing events are sent, then resumed, then later events without duplicates")
    func replays() {
        var run = V1Run()
        _ = resume(5, &run)
        #expect(run.deliver(6...7).isWritten == false)
        #expect(run.findEnds([Self.room: V1Run.position(7)]) == [.readLog(Self.room, after: 5, limit: 2)])
        #expect(run.deliver(8...9).isWritten == false)
        let read = run.readLog(6...9)
        #expect(read.first == .replay(V1Run.events(6...7)))
        #expect(read.resumed == nil)
        #expect(read.last == .awaitDrain(below: 32_768))
        #expect(run.deliver(10...10).isWritten == false)
        let done = run.drained()
        #expect(
            done.first
                == .send(.resumed([Self.room: V1Resumption(.replayed, epoch: Self.epoch, from: 6, to: 7)], ref: 1)))
        #expect(done.seqs == [8, 9, 10])
        #expect(run.deliver(11...11).isWritten)
    }

    @Test(
        "up to 1,000 events are replayed in chunks, each when the last was read; more are left to history")
    func bound() {
        var run = V1Run()
        _ = resume(5, &run)
        var actions = run.findEnds([Self.room: V1Run.position(1005)])
        var seqs: [Int64] = []
        while actions.resumed == nil {
            guard case .readLog(Self.room, let after, let limit)? = actions.last else {
                Issue.record("\(actions)")
                return
            }
            #expect(limit <= ThreadReplay.usualChunk)
            let read = run.readLog((after + 1)...(after + Int64(limit)))
            seqs += read.seqs
            actions = run.drained()
        }
        #expect(seqs == Array(6...1005))
        #expect(actions.resumed?[Self.room]?.state == .replayed)

        _ = resume(5, &run)
        let more = run.findEnds([Self.room: V1Run.position(1006)])
        #expect(more.resumed == [Self.room: V1Resumption(.page, epoch: Self.epoch, from: 6, to: 1006)])
        #expect(run.deliver(1007...1007).isWritten)
    }

    @Test("the store is read below the beginning of the log, then the log")
    func seam() {
        var run = V1Run()
        _ = resume(5, &run)
        _ = run.findEnds([Self.room: V1Run.position(12)])
        let truncated = LogSlice(epoch: Self.epoch, events: V1Run.events(10...12), end: 0, isTruncated: true)
        #expect(run.readLog(truncated) == [.readStore(Self.room, after: 5, limit: 7)])
        let page = LogPage(events: V1Run.events(6...10), hasMore: false, head: V1Run.head(10))
        #expect(run.readStore(page).seqs == [6, 7, 8, 9, 10])
        #expect(run.drained() == [.readLog(Self.room, after: 10, limit: 2)])
        #expect(run.readLog(11...12).seqs == [11, 12])
        #expect(run.drained().resumed?[Self.room]?.state == .replayed)
    }

    @Test("a gap between the store and the log is retried")
    func lag() {
        var run = V1Run()
        _ = resume(5, &run)
        _ = run.findEnds([Self.room: V1Run.position(7)])
        let truncated = LogSlice(epoch: Self.epoch, events: V1Run.events(7...7), end: 0, isTruncated: true)
        _ = run.readLog(truncated)
        let empty = LogPage(events: [], hasMore: false, head: V1Run.head(5))
        #expect(run.readStore(empty) == [.wake(after: V1Session.retryDelay)])
        #expect(run.wake(after: V1Session.retryDelay) == [.readLog(Self.room, after: 5, limit: 2)])
        _ = run.readLog(truncated)
        #expect(run.readStore(LogPage(events: V1Run.events(6...6), hasMore: false, head: nil)).seqs == [6])
    }

    @Test("events that neither log nor store has after some attempts are left to history")
    func unreachable() {
        var run = V1Run()
        _ = resume(5, &run)
        var actions = run.findEnds([Self.room: V1Run.position(7)])
        for _ in 0..<RangeReader.tries {
            #expect(actions.contains(.readLog(Self.room, after: 5, limit: 2)))
            _ = run.readLog(LogSlice(epoch: Self.epoch, events: [], end: 0, isTruncated: true))
            actions = run.readStore(nil)
            if actions.resumed == nil { actions = run.wake(after: V1Session.retryDelay) }
        }
        #expect(actions.resumed == [Self.room: V1Resumption(.page, epoch: Self.epoch, from: 6, to: 7)])
    }

    @Test("events rejected by the store are skipped")
    func gaps() {
        var run = V1Run()
        _ = resume(5, &run)
        _ = run.findEnds([Self.room: V1Run.position(9)])
        _ = run.readLog(LogSlice(epoch: Self.epoch, events: [], end: 0, isTruncated: true))
        let page = LogPage(
            events: V1Run.events(6...6) + V1Run.events(8...9), hasMore: false, head: V1Run.head(9))
        #expect(run.readStore(page).seqs == [6, 8, 9])
        #expect(run.drained().resumed?[Self.room]?.state == .replayed)
    }

    @Test("places that the store leaves out come from the log, if it has them", arguments: [7, 8] as [Int64])
    func repeats(begin: Int64) {
        var run = V1Run()
        _ = resume(5, &run)
        _ = run.findEnds([Self.room: V1Run.position(12)])
        let log = LogSlice(epoch: Self.epoch, events: V1Run.events(begin...12), end: 12, isTruncated: true)
        #expect(run.readLog(log) == [.readStore(Self.room, after: 5, limit: 7)])
        // The log has what is missing here, up to 10, as deleted messages: they repeat earlier ones.
        let stored = V1Run.events(6...(begin - 1)) + V1Run.events(11...12)
        let page = LogPage(events: stored, hasMore: false, head: V1Run.head(12))
        #expect(run.readStore(page).seqs == Array(6...(begin - 1)))
        #expect(run.drained() == [.readLog(Self.room, after: begin - 1, limit: Int(13 - begin))])
        #expect(run.readLog(begin...12).seqs == Array(begin...12))
        #expect(
            run.drained().resumed
                == [Self.room: V1Resumption(.replayed, epoch: Self.epoch, from: 6, to: 12)])
    }

    // MARK: Many threads

    @Test("other threads are gone or denied; one found by the lookup is resumed")
    func foreignThreads() {
        var run = V1Run()
        let (gone, denied, new) = (ThreadID(trusted: "a"), ThreadID(trusted: "b"), ThreadID(trusted: "c"))
        let actions = resume(
            [Self.room: V1Run.position(5), gone: V1Run.position(1), denied: V1Run.position(1), new: V1Run.position(2)],
            &run)
        #expect(actions == [.findThreads([gone, denied, new])])
        let membership = Membership(thread: ThreadInfo(id: new, kind: .room, title: "New"), role: .member)
        #expect(run.findThreads([denied: .nonMember, new: .member(membership)]) == [.findEnds([Self.room, new])])
        let resumed = run.findEnds([Self.room: V1Run.position(5), new: V1Run.position(2)]).resumed
        #expect(resumed?.mapValues(\.state) == [Self.room: .live, gone: .gone, denied: .denied, new: .live])
    }

    @Test("at most four threads are read concurrently")
    func concurrency() {
        var run = V1Run()
        run = V1Run(isLive: false)
        let threads = (0..<9).map { ThreadID(trusted: "t\($0)") }
        for thread in threads {
            run.client.memberships[thread] = Membership(
                thread: ThreadInfo(id: thread, kind: .room, title: thread.text), role: .member)
        }
        _ = run.open()
        _ = run.receive(.resume(Dictionary(uniqueKeysWithValues: threads.map { ($0, V1Run.position(1)) })), ref: 1)
        var actions = run.findEnds(Dictionary(uniqueKeysWithValues: threads.map { ($0, V1Run.position(2)) }))
        var reading = Set<ThreadID>()
        var done = 0
        while actions.resumed == nil {
            for action in actions {
                if case .readLog(let thread, 1, 1) = action { reading.insert(thread) }
            }
            #expect(reading.count <= 4 && (reading.count == 4 || done > 5))
            guard let thread = reading.popFirst() else {
                Issue.record("nothing is read: \(actions)")
                return
            }
            #expect(run.readLog(2...2, in: thread).seqs == [2])
            done += 1
            actions = run.drained()
        }
        #expect(done == 9)
        #expect(actions.resumed?.values.allSatisfy { $0.state == .replayed } == true)
    }

    @Test("a user removed from a thread during its resume is denied")
    func removedMeanwhile() {
        var run = V1Run()
        _ = resume([Self.room: V1Run.position(5), Self.other: V1Run.position(1)], &run)
        _ = run.findEnds([Self.room: V1Run.position(7), Self.other: V1Run.position(1)])
        _ = run.deliver(8...8)
        let actions = run.remove(V1Run.thread())
        #expect(actions.resumed?.mapValues(\.state) == [Self.room: .denied, Self.other: .live])
        #expect(actions.frames.last == .thread(.removed, V1Run.thread()))
        #expect(run.readLog(6...7).isEmpty)
    }

    @Test("commands after a resume wait for it")
    func commandsWait() {
        var run = V1Run()
        _ = resume(5, &run)
        #expect(run.send("x", ref: 2).isEmpty)
        let actions = run.findEnds([Self.room: V1Run.position(5)])
        #expect(actions.appends.count == 1)
    }

    @Test("a resume that is not first, or comes after the hold, is rejected")
    func late() {
        var run = V1Run(isLive: false)
        _ = run.open()
        _ = run.receive(.ping(1))
        #expect(run.receive(.resume([:]), ref: 2).errors == [.init(.badRequest, 2)])
        run = V1Run()
        #expect(run.receive(.resume([:]), ref: 3).errors == [.init(.badRequest, 3)])
        _ = resume([:], &run)
        #expect(run.receive(.resume([:]), ref: 4).errors == [.init(.badRequest, 4)])
    }

    // MARK: Outages

    @Test("failed requests are retried for 30 seconds, then the session closes with 1013")
    func outage() {
        enum Stage: CaseIterable { case threads, ends, log }
        for stage in Stage.allCases {
            var run = V1Run()
            var request: V1Session.Action
            switch stage {
            case .threads: request = resume([ThreadID(trusted: "new"): V1Run.position(1)], &run)[0]
            case .ends: request = resume(5, &run)[0]
            case .log:
                _ = resume(5, &run)
                request = run.findEnds([Self.room: V1Run.position(6)])[0]
            }
            let begin = run.now
            while run.now - begin < 40_000_000 {
                let actions =
                    switch stage {
                    case .threads: run.findThreads(nil)
                    case .ends: run.findEnds(nil)
                    case .log: run.readLog(Optional<ClosedRange<Int64>>.none)
                    }
                if !actions.closes.isEmpty {
                    #expect(actions == [.close(.unavailable)])
                    break
                }
                #expect(actions == [.wake(after: V1Session.retryDelay)])
                let again = run.wake(after: V1Session.retryDelay)
                #expect(again == [request])
                request = again.first ?? request
            }
            #expect((30_000_000...31_000_000).contains(run.now - begin))
        }
    }

    @Test("an unexpected result is ignored")
    func strayReplies() {
        var run = V1Run()
        #expect(run.readLog(1...2).isEmpty)
        #expect(run.readStore(nil).isEmpty)
        #expect(run.findEnds([:]).isEmpty)
        #expect(run.findThreads([:]).isEmpty)
        #expect(run.drained().isEmpty)
        _ = resume(5, &run)
        _ = run.deliver(6...6)
        _ = run.findEnds([Self.room: V1Run.position(6)])
        _ = run.deliver(7...7)
        #expect(run.findEnds([Self.room: V1Run.position(7)]).isEmpty)
        _ = run.readLog(6...6)
        #expect(run.drained().seqs == [7])
    }
}
