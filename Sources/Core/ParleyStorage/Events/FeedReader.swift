package import ParleyModel

/// A stored batch of events: a row of the table `event_batches`, or of a table of a `RowLane`.
package struct EventBatch: Hashable, Sendable {
    package let lane: Int
    /// The database's time in Unix microseconds, raised where needed so that stamps ascend in the order of commits that depend
    /// on each other, and are unique in their lane.
    package let stamp: Int64
    /// `nil` for log events, and for a row that is no longer shown.
    package let row: FeedEvent?
    private let content: Content

    /// The log events of a batch.
    private enum Content: Hashable {
        case runs([EventRun])
        /// Decoded when they are needed: most batches that are read are beyond the end of the page.
        case text(String)
        /// A row of a `RowLane`.
        case row
    }

    package init(lane: Int, stamp: Int64, runs: [EventRun]) {
        self.lane = lane
        self.stamp = stamp
        content = .runs(runs)
        row = nil
    }

    /// - Parameter text: `EventRun.text` of the runs.
    package init(lane: Int, stamp: Int64, text: String) {
        self.lane = lane
        self.stamp = stamp
        content = .text(text)
        row = nil
    }

    /// - Parameter row: `nil` if it is no longer shown.
    package init(_ lane: RowLane, stamp: Int64, _ row: FeedEvent?) {
        self.lane = lane.number
        self.stamp = stamp
        content = .row
        self.row = row
    }

    /// Decodes the runs; none for a row of a `RowLane`.
    /// - Throws: `StoreError.failed` if they are damaged.
    func runs() throws -> [EventRun] {
        switch content {
        case .runs(let runs): runs
        case .text(let text): try EventRun.all(in: text)
        case .row: []
        }
    }
}

/// The bounds of the batches that a page reads.
package struct EventBatchLimit: Sendable {
    /// The maximum number of batches.
    package let count = 64
    /// The size in bytes at which a page stops reading batches.
    package let bytes: Int

    /// - Parameter query: One that asks for one thread finds few events in a batch, so more of them are read.
    package init(_ query: EventQuery) {
        bytes = query.thread == nil ? 16_384 : 524_288
    }
}

/// Unread batches of the stream.
package struct EventBatches: Sendable {
    /// In ascending order of stamp and lane.
    package let batches: [EventBatch]
    /// The greatest stamp of a row that has expired, by lane; 0 if none has. Later rows of the lane have greater stamps.
    package let expired: [RowLane: Int64]
    /// Whether there may be more.
    let isCut: Bool

    /// Merges batches of log events with rows of other lanes.
    /// - Parameters:
    ///   - batches: Log events, in ascending order of stamp and lane.
    ///   - rows: In ascending order of stamp for each lane.
    ///   - isCut: Whether more batches of log events are stored than the limit has let through.
    package init(
        _ batches: [EventBatch], isCut: Bool, _ rows: [EventBatch], limit: EventBatchLimit, expired: [RowLane: Int64]
    ) {
        // A row after the last batch may depend on one that was left out.
        let rows = isCut ? rows.filter { $0.stamp < batches.last?.stamp ?? 0 } : rows
        let all = rows.isEmpty ? batches : (batches + rows).sorted { ($0.stamp, $0.lane) < ($1.stamp, $1.lane) }
        self.batches = Array(all.prefix(limit.count))
        self.isCut = isCut || all.count >= limit.count
        self.expired = expired
    }
}

/// The look-ups of a store for `FeedReader`.
package protocol FeedSource {
    /// Returns unread batches of all lanes, in ascending order of stamp and lane. Batches of log events are read at one instant.
    /// - Returns: `nil` unless each place of the cursor has its batch, or that was a row of a `RowLane` that has expired.
    func batches(after cursor: EventCursor, limit: EventBatchLimit) throws -> EventBatches?
    /// Returns the events of runs, in any order. Seqs without an event are skipped; others than those asked for may be
    /// returned.
    func events(in runs: [EventRun]) throws -> [LogEvent]
}

/// Reads a page of the stream of stored events. The same for every store.
package struct FeedReader<Source: FeedSource> {
    private struct Key: Hashable {
        let thread: ThreadID
        let seq: Int64
    }

    /// An event of a batch that the query may include.
    private struct Candidate {
        /// The content of the event, or its place.
        enum Content {
            case place(EventRun, seq: Int64)
            case row(FeedEvent)
        }

        /// The index of the batch.
        let batch: Int
        /// The number of events in the batch before it.
        let before: Int
        let content: Content
    }

    private let source: Source
    private let cursor: EventCursor
    private let query: EventQuery

    package init(_ source: Source, after cursor: EventCursor, _ query: EventQuery) {
        self.source = source
        self.cursor = cursor
        self.query = query
    }

    /// - Returns: `nil` if the store does not have the place of the cursor.
    package func page() throws -> EventFeedPage? {
        guard let found = try source.batches(after: cursor, limit: EventBatchLimit(query)) else { return nil }
        var counts: [Int] = []
        let (candidates, isCut) = try candidates(in: found.batches, &counts)
        let stored = try load(candidates)
        var entries: [FeedEvent] = []
        var stop: Candidate?
        for candidate in candidates {
            guard let event = event(of: candidate, stored) else { continue }
            if entries.count == query.limit {
                stop = candidate
                break
            }
            entries.append(event)
        }
        if stop == nil, isCut { stop = isCutAt(candidates) }
        return page(entries, found, counts, readUntil: stop)
    }

    /// - Returns: `nil` for an event that no longer exists, or that the query does not include.
    private func event(of candidate: Candidate, _ stored: [Key: LogEvent]) -> FeedEvent? {
        switch candidate.content {
        case .row(let row): return row
        case .place(let run, let seq):
            guard let event = stored[Key(thread: run.thread, seq: seq)], event.position.epoch.text == run.epoch,
                query.includes(event)
            else { return nil }
            return .log(event)
        }
    }

    /// The place at which a page ends that has looked at as many events as it may: after its last candidate.
    private func isCutAt(_ candidates: [Candidate]) -> Candidate? {
        candidates.last.map { last in
            Candidate(batch: last.batch, before: last.before + 1, content: last.content)
        }
    }

    /// - Parameter counts: The numbers of events in the batches up to that of `stop`.
    private func page(
        _ entries: [FeedEvent], _ found: EventBatches, _ counts: [Int], readUntil stop: Candidate?
    ) -> EventFeedPage {
        var (next, last) = (cursor, Int64?.none)
        for (index, batch) in found.batches.enumerated() {
            var place = EventCursor.Place(stamp: batch.stamp)
            if let stop, index >= stop.batch {
                guard index == stop.batch, stop.before > 0 else { break }
                if stop.before < counts[index] { place.count = stop.before }
            }
            next.move(to: place, in: batch.lane)
            last = batch.stamp
            if stop?.batch == index { break }
        }
        let isEnd = stop == nil && !found.isCut
        // A cursor at the end is not behind one that was made before its row expired.
        for (lane, expired) in found.expired where isEnd && expired > next.places[lane.number]?.stamp ?? 0 {
            next.move(to: EventCursor.Place(stamp: expired), in: lane.number)
        }
        return EventFeedPage(
            entries: entries, next: next, isEnd: isEnd,
            storedMilliseconds: last.map { $0 / 1_000 })
    }

    /// The unread events of the query's thread, and the rows that the query includes, together at most
    /// `EventFeedPage.maximumLimit`, or one more than the page has if all of them are included.
    /// - Parameter counts: Gets the number of events in each batch that was looked at.
    /// - Returns: the events, and whether there are more of them in the batches.
    private func candidates(in batches: [EventBatch], _ counts: inout [Int]) throws -> ([Candidate], isCut: Bool) {
        let isSelective = query.kinds != nil || query.user != nil
        let limit = isSelective ? EventFeedPage.maximumLimit : min(query.limit + 1, EventFeedPage.maximumLimit)
        var candidates: [Candidate] = []
        for (index, batch) in batches.enumerated() {
            let runs = try batch.runs()
            counts.append(runs.isEmpty ? 1 : runs.reduce(0) { $0 + $1.count })
            if let row = batch.row, query.includes(row) {
                guard candidates.count < limit else { return (candidates, true) }
                candidates.append(Candidate(batch: index, before: 0, content: .row(row)))
            }
            let place = cursor.places[batch.lane]
            let read = place?.stamp == batch.stamp ? place?.count ?? 0 : 0
            var before = 0
            for run in runs {
                defer { before += run.count }
                if let thread = query.thread, thread != run.thread { continue }
                for (offset, seq) in run.seqs.enumerated() where before + offset >= read {
                    guard candidates.count < limit else { return (candidates, true) }
                    candidates.append(
                        Candidate(batch: index, before: before + offset, content: .place(run, seq: seq)))
                }
            }
        }
        return (candidates, false)
    }

    private func load(_ candidates: [Candidate]) throws -> [Key: LogEvent] {
        var journal: [EventRun] = []
        for case .place(let place, let seq) in candidates.map(\.content) {
            let run = EventRun(thread: place.thread, epoch: place.epoch, first: seq)
            if let last = journal.popLast() {
                journal += last.isFollowed(by: run) ? [last.longer] : [last, run]
            } else {
                journal.append(run)
            }
        }
        guard !journal.isEmpty else { return [:] }
        return Dictionary(
            try source.events(in: journal).map { (Key(thread: $0.thread, seq: $0.position.seq), $0) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension EventRun {
    fileprivate func isFollowed(by run: EventRun) -> Bool {
        run.thread == thread && run.epoch == epoch && run.first == first &+ Int64(count)
    }

    fileprivate var longer: EventRun { EventRun(thread: thread, epoch: epoch, first: first, count: count + 1) }
}
