import ParleyModel
import ParleyStorage
import Testing

@Suite("Pages of the stream of stored events")
struct FeedReaderTests {
    /// Batches of one lane with one event each; those from `unread` on are found, and not read.
    private struct Source: FeedSource {
        let stamps: [Int64]
        let unread: Int64
        var entries: [EventBatch] = []

        func batches(after cursor: EventCursor, limit: EventBatchLimit) -> EventBatches? {
            let later = stamps.filter { $0 > cursor.lowerBound(of: 0) }
            let batches = later.compactMap { stamp -> EventBatch? in
                guard limit.bytes > 100_000 || stamp < unread || stamp == later.first else { return nil }
                let run = EventRun(thread: ThreadID(trusted: "a"), epoch: "e1", first: stamp)
                return EventBatch(lane: 0, stamp: stamp, text: EventRun.text([run]))
            }
            let rows = entries.filter { $0.stamp > cursor.lowerBound(of: RowLane.audit.number) }
            return EventBatches(batches, isCut: batches.count < later.count, rows, limit: limit, expired: [:])
        }

        func events(in runs: [EventRun]) -> [LogEvent] {
            runs.flatMap { run in
                run.seqs.map { seq in
                    LogEvent(
                        thread: run.thread, position: Position(epoch: Epoch(run.epoch), seq: seq), milliseconds: 1,
                        messageCount: 0, body: .renamed(title: "x", by: UserID(trusted: "u")))
                }
            }
        }
    }

    private func seqs(_ page: EventFeedPage) -> [Int64] { page.events.map(\.position.seq) }

    @Test("a page ends before batches that were not read, and the next one has them")
    func cut() throws {
        let source = Source(stamps: [1, 2, 3, 4], unread: 3)
        let first = try #require(try FeedReader(source, after: .start, EventQuery()).page())
        #expect(seqs(first) == [1, 2] && !first.isEnd && first.next.places[0]?.stamp == 2)
        let second = try #require(try FeedReader(source, after: first.next, EventQuery()).page())
        #expect(seqs(second) == [3] && !second.isEnd)
        let last = try #require(try FeedReader(source, after: second.next, EventQuery()).page())
        #expect(seqs(last) == [4] && last.isEnd)
    }

    @Test("a page of one thread reads all batches")
    func thread() throws {
        let query = EventQuery(thread: ThreadID(trusted: "a"))
        let page = try #require(
            try FeedReader(Source(stamps: [1, 2, 3, 4], unread: 2), after: .start, query).page())
        #expect(seqs(page) == [1, 2, 3, 4] && page.isEnd)
    }

    @Test("rows of the audit log wait for batches below them that were not read")
    func audit() throws {
        let note = AuditNote(.suspended, by: .command, of: UserID(trusted: "u"))
        let entries = [2, 9].map {
            EventBatch(.audit, stamp: $0, .audit(AuditEntry(id: $0, milliseconds: 1, note: note)))
        }
        let source = Source(stamps: [1, 3, 4], unread: 4, entries: entries)
        let query = EventQuery(rows: [.audit])
        let page = try #require(try FeedReader(source, after: .start, query).page())
        #expect(page.entries.map(\.feedID) == ["a:e1:1", "audit:2-1", "a:e1:3"] && page.storedMilliseconds == 0)
        #expect(page.next.places[RowLane.audit.number]?.stamp == 2 && !page.isEnd)
        let rest = try #require(try FeedReader(source, after: page.next, query).page())
        #expect(rest.entries.map(\.feedID) == ["a:e1:4", "audit:9-1"] && rest.isEnd)
    }
}
