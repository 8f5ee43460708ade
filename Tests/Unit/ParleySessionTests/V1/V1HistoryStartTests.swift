import ParleyModel
import ParleySession
import ParleyWire
import Testing

/// A member for whom the log begins with their joining.
@Suite struct V1HistoryStartTests {
    private static let room = V1Run.room
    private static let epoch = V1Run.epoch

    /// A session whose user sees the room from this seq on.
    private static func run(from start: HistoryStart, isLive: Bool = true) -> V1Run {
        var run = V1Run(isLive: isLive)
        run.client.memberships[room] = Membership(
            thread: TestClient.roomMembership.thread, role: .member, start: start)
        return run
    }

    private static func edit(_ seq: Int64, of message: Int64) -> LogEvent {
        var event = V1Run.event(seq, in: room)
        event.body = .edited(
            MessageEdit(
                messageID: MessageID(trusted: "m-\(message)"), messageSeq: message, text: "secret",
                by: UserID(trusted: "u-1")))
        return event
    }

    @Test(
        "a page is answered as if the log began at the start",
        arguments: [
            // The newest, below, above, and a place below the start.
            (nil, nil, 30, 90...100, false, false), (95, nil, 30, 90...94, false, true),
            (95, nil, 3, 92...94, true, true), (nil, 40, 5, 90...94, false, true),
            (nil, 0, 200, 90...100, false, false),
            (nil, 92, 3, 93...95, true, true),
        ] as [(Int64?, Int64?, Int64, ClosedRange<Int64>, Bool, Bool)])
    func pages(
        before: Int64?, after: Int64?, limit: Int64, seqs: ClosedRange<Int64>, hasMoreBefore: Bool, hasMoreAfter: Bool
    ) throws {
        for start in [
            HistoryStart.stored(90), .joined(Position(epoch: Self.epoch, seq: 90), entry: 7),
        ] {
            var run = Self.run(from: start)
            let request = V1HistoryRequest(thread: Self.room, before: before, after: after, limit: limit)
            #expect(run.receive(.history(request), ref: 1) == [.findHead(Self.room)])
            let asked = run.findEnds([Self.room: V1Run.position(100)])
            #expect(asked == [.readLog(Self.room, after: seqs.lowerBound - 1, limit: seqs.count)])
            let page = try #require(run.readLog(seqs).pages.first)
            #expect(page.events == V1Run.events(seqs))
            #expect(page.hasMoreBefore == hasMoreBefore && page.hasMoreAfter == hasMoreAfter)
        }
    }

    @Test("a page below the start is empty and needs no read")
    func below() throws {
        var run = Self.run(from: .stored(90))
        let request = V1HistoryRequest(thread: Self.room, before: 50, after: nil, limit: 30)
        _ = run.receive(.history(request), ref: 1)
        let page = try #require(run.findEnds([Self.room: V1Run.position(100)]).pages.first)
        #expect(page.events.isEmpty && !page.hasMoreBefore && page.hasMoreAfter)
        // A node that is behind the log.
        _ = run.receive(.history(V1HistoryRequest(thread: Self.room)), ref: 2)
        let late = try #require(run.findEnds([Self.room: V1Run.position(80)]).pages.first)
        #expect(late.events.isEmpty && !late.hasMoreBefore && !late.hasMoreAfter)
    }

    @Test("an edit of an earlier message says nothing, in a page and in a replay")
    func edits() throws {
        let events = [Self.edit(91, of: 89), Self.edit(92, of: 90)]
        let slice = LogSlice(epoch: Self.epoch, events: events, end: 92, isTruncated: false)
        func check(_ shown: [LogEvent]) throws {
            let texts = shown.compactMap { event in
                if case .edited(let edit) = event.body { edit.text } else { nil }
            }
            #expect(texts == ["", "secret"])
            #expect(shown.map(\.position) == events.map(\.position))
        }
        var run = Self.run(from: .stored(90))
        _ = run.receive(.history(V1HistoryRequest(thread: Self.room, after: 90)), ref: 1)
        _ = run.findEnds([Self.room: V1Run.position(92)])
        try check(try #require(run.readLog(slice).pages.first).events)
        run = Self.run(from: .stored(90), isLive: false)
        _ = run.open()
        _ = run.receive(.resume([Self.room: V1Run.position(90)]), ref: 1)
        _ = run.findEnds([Self.room: V1Run.position(92)])
        let replayed = run.readLog(slice).compactMap { action -> [LogEvent]? in
            if case .replay(let events) = action { events } else { nil }
        }
        try check(replayed.flatMap { $0 })
    }

    @Test("a resume from below replays what follows the start, and covers the rest")
    func resumes() {
        var run = Self.run(from: .stored(90), isLive: false)
        _ = run.open()
        #expect(run.receive(.resume([Self.room: V1Run.position(5)]), ref: 1) == [.findEnds([Self.room])])
        let asked = run.findEnds([Self.room: V1Run.position(92)])
        #expect(asked == [.readLog(Self.room, after: 89, limit: 3)])
        let read = run.readLog(90...92)
        #expect(read.first == .replay(V1Run.events(90...92)))
        let resumption = V1Resumption(.replayed, epoch: Self.epoch, from: 6, to: 92)
        #expect(run.drained().resumed == [Self.room: resumption])
        #expect(run.deliver(93...93).isWritten)
    }

    @Test("more than the limit from the start on is a page, and a node that is behind has nothing to replay")
    func ends() {
        var run = Self.run(from: .stored(90), isLive: false)
        _ = run.open()
        _ = run.receive(.resume([Self.room: V1Run.position(5)]), ref: 1)
        let far = run.findEnds([Self.room: V1Run.position(2000)])
        #expect(far.resumed == [Self.room: V1Resumption(.page, epoch: Self.epoch, from: 6, to: 2000)])
        run = Self.run(from: .stored(90), isLive: false)
        _ = run.open()
        _ = run.receive(.resume([Self.room: V1Run.position(5)]), ref: 1)
        let late = run.findEnds([Self.room: V1Run.position(80)])
        #expect(late.resumed == [Self.room: V1Resumption(.replayed, epoch: Self.epoch, from: 6, to: 89)])
    }

    @Test("while the start is unknown, history is unavailable, and a resume is answered when it is known")
    func unknown() {
        var run = V1Run(isLive: false)
        let (info, joining) = (TestClient.roomMembership.thread, HistoryStart.joining(entry: 7))
        let membership = Membership(thread: info, role: .member, start: joining)
        run.client.memberships[Self.room] = nil
        _ = run.open()
        #expect(run.receive(.resume([Self.room: V1Run.position(5)]), ref: 1) == [.findThreads([Self.room])])
        let resumed = run.findThreads([Self.room: .member(membership)])
        #expect(resumed.resumed == [Self.room: V1Resumption(.unavailable)])
        #expect(run.receive(.history(V1HistoryRequest(thread: Self.room)), ref: 2) == [.findThreads([Self.room])])
        #expect(run.findThreads([Self.room: .member(membership)]).errors == [.init(.unavailable, 2)])
        var thread = V1Thread(thread: info, role: .member, head: V1Run.position(80))
        thread.begin(at: .stored(90))
        #expect(thread.head == V1Run.position(89) && thread.visibleFrom == 90)
        let added = run.add(thread)
        #expect(added.first == .send(.thread(.added, thread)))
        #expect(added.resumed == [Self.room: V1Resumption(.page, epoch: Self.epoch, from: 6, to: 89)])
        #expect(run.deliver(90...90).isWritten)
    }
}
