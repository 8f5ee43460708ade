import ParleyModel
import ParleySession
import ParleyWire
import Testing

@Suite struct V1HistoryTests {
    private static let room = V1Run.room

    private func ask(
        _ run: inout V1Run, before: Int64? = nil, after: Int64? = nil, limit: Int64 = 30, head: Int64
    ) -> [V1Session.Action] {
        let request = V1HistoryRequest(thread: Self.room, before: before, after: after, limit: limit)
        #expect(run.receive(.history(request), ref: 1) == [.findHead(Self.room)])
        return run.findEnds(head > 0 ? [Self.room: V1Run.position(head)] : [:])
    }

    @Test("the newest page ends at the end of the log")
    func newest() {
        var run = V1Run()
        #expect(ask(&run, head: 100) == [.readLog(Self.room, after: 70, limit: 30)])
        let page = V1Page(
            ref: 1, thread: Self.room, head: V1Run.position(100), events: V1Run.events(71...100), hasMoreBefore: true,
            hasMoreAfter: false)
        #expect(run.readLog(71...100) == [.send(.page(page))])
    }

    @Test(
        "a page is at the requested place, and reports whether more follows on either side",
        arguments: [
            (50, nil, 10, 40...49, true, true), (nil, 90, 30, 91...100, true, false),
            (nil, 0, 100, 1...100, false, false),
            (11, nil, 30, 1...10, false, true), (20, 10, 5, 11...15, true, true),
        ] as [(Int64?, Int64?, Int64, ClosedRange<Int64>, Bool, Bool)])
    func places(
        before: Int64?, after: Int64?, limit: Int64, seqs: ClosedRange<Int64>, hasMoreBefore: Bool, hasMoreAfter: Bool
    ) throws {
        var run = V1Run()
        let requested = ask(&run, before: before, after: after, limit: limit, head: 100)
        #expect(requested == [.readLog(Self.room, after: seqs.lowerBound - 1, limit: seqs.count)])
        let page = try #require(run.readLog(seqs).pages.first)
        #expect(page.events == V1Run.events(seqs))
        #expect(page.hasMoreBefore == hasMoreBefore)
        #expect(page.hasMoreAfter == hasMoreAfter)
        #expect(page.head == V1Run.position(100))
    }

    @Test(
        "an empty page needs no read",
        arguments: [
            (nil, nil, 0, false, false), (1, nil, 100, false, true), (nil, 100, 100, true, false),
            (nil, Int64.max, 100, true, false), (10, 20, 100, true, true),
        ] as [(Int64?, Int64?, Int64, Bool, Bool)])
    func empty(before: Int64?, after: Int64?, head: Int64, hasMoreBefore: Bool, hasMoreAfter: Bool) throws {
        var run = V1Run()
        let page = try #require(ask(&run, before: before, after: after, head: head).pages.first)
        #expect(page.events.isEmpty)
        #expect(page.hasMoreBefore == hasMoreBefore)
        #expect(page.hasMoreAfter == hasMoreAfter)
    }

    @Test("a page is read from the store below the log, without a gap")
    func seam() throws {
        var run = V1Run()
        _ = ask(&run, head: 100)
        let truncated = LogSlice(epoch: V1Run.epoch, events: V1Run.events(90...100), end: 0, isTruncated: true)
        #expect(run.readLog(truncated) == [.readStore(Self.room, after: 70, limit: 30)])
        let read = run.readStore(LogPage(events: V1Run.events(71...95), hasMore: false, head: V1Run.head(95)))
        #expect(read == [.readLog(Self.room, after: 95, limit: 5)])
        #expect(run.readLog(96...100).pages.first?.events == V1Run.events(71...100))
    }

    @Test("a page is rejected as retryable while a backend is unavailable")
    func away() {
        var run = V1Run()
        _ = run.receive(.history(V1HistoryRequest(thread: Self.room)), ref: 1)
        #expect(run.findEnds(nil).errors == [.init(.unavailable, 1)])
        _ = ask(&run, head: 100)
        #expect(run.readLog(Optional<ClosedRange<Int64>>.none).errors == [.init(.unavailable, 1)])
        _ = ask(&run, head: 100)
        _ = run.readLog(LogSlice(epoch: V1Run.epoch, events: [], end: 0, isTruncated: true))
        #expect(run.readStore(nil).errors == [.init(.unavailable, 1)])
        #expect(run.receive(.ping(1)).frames.count == 1)
    }

    @Test("a page waits for the sends before it, and blocks later commands")
    func order() {
        var run = V1Run()
        _ = run.send("1", ref: 1)
        #expect(run.receive(.history(V1HistoryRequest(thread: Self.room)), ref: 2).isEmpty)
        #expect(run.send("3", ref: 3).isEmpty)
        #expect(run.accept(0, seq: 5).last == .findHead(Self.room))
        _ = run.findEnds([Self.room: V1Run.position(5)])
        let actions = run.readLog(1...5)
        #expect(actions.pages.count == 1)
        #expect(actions.appends.count == 1)
    }

    @Test("a page has at most 256 KiB, and at least one event; the rest is left to the next one")
    func bytes() throws {
        let text = String(repeating: "é", count: 30_000)
        let events = (1...10).map { V1Run.event($0, text: text) }
        let slice = LogSlice(epoch: V1Run.epoch, events: events, end: 0, isTruncated: false)
        var run = V1Run()
        _ = ask(&run, head: 10)
        let newest = try #require(run.readLog(slice).pages.first)
        #expect(newest.events == events.suffix(4))
        #expect(newest.hasMoreBefore && !newest.hasMoreAfter)
        _ = ask(&run, after: 0, head: 10)
        let oldest = try #require(run.readLog(slice).pages.first)
        #expect(oldest.events == Array(events.prefix(4)))
        #expect(!oldest.hasMoreBefore && oldest.hasMoreAfter)
        let huge = V1Run.event(1, text: String(repeating: "x", count: 400_000))
        _ = ask(&run, head: 1)
        #expect(
            run.readLog(LogSlice(epoch: V1Run.epoch, events: [huge], end: 0, isTruncated: false)).pages.first?.events
                == [huge])
    }

    @Test("a slow client gets its page when it has read half of what waits")
    func slow() {
        var run = V1Run(outboundBytes: 1000)
        run.session.wrote(600)
        run.client.waitingBytes = 600
        let request = V1HistoryRequest(thread: Self.room)
        #expect(run.receive(.history(request), ref: 1) == [.awaitDrain(below: 500)])
        #expect(run.receive(.ping(1)).isEmpty)
        run.client.waitingBytes = 400
        #expect(run.drained() == [.findHead(Self.room)])
    }
}
