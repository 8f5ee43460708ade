package import ParleyModel

/// A stored batch of events: a row of the table `event_batches`, or of the audit log.
package struct EventBatch: Hashable, Sendable {
    package let lane: Int
    /// The database's time in Unix microseconds, raised where needed so that stamps ascend in the order of commits that depend
    /// on each other, and are unique in their lane.
    package let stamp: Int64
    /// Empty for a row of the audit log.
    package let runs: [EventRun]
    /// `nil` for log events.
    package let entry: AuditEntry?

    package init(lane: Int, stamp: Int64, runs: [EventRun]) {
        self.lane = lane
        self.stamp = stamp
        self.runs = runs
        entry = nil
    }

    /// A row of the audit log.
    package init(stamp: Int64, _ entry: AuditEntry) {
        lane = EventCursor.auditLane
        self.stamp = stamp
        runs = []
        self.entry = entry
    }

    /// The number of events.
    package var count: Int { entry == nil ? runs.reduce(0) { $0 + $1.count } : 1 }

    /// The maximum number of batches that a page reads.
    package static let maximumCount = 64
}

/// Unread batches of the stream.
package struct EventBatches: Sendable {
    /// In ascending order of stamp and lane.
    package let batches: [EventBatch]
    /// The greatest stamp of a row of the audit log that has expired; 0 if none has.
    package let expired: Int64
    /// Whether the store has later batches that were found, and not read.
    package let isCut: Bool

    /// The size of the texts of runs, in bytes, after which a page of all threads reads no further batch. It has places for more
    /// events than a page has, even if each is in a thread of its own.
    package static let maximumBytes = 32_768

    /// Merges batches of log events with rows of the audit log, both in the order of their stamps.
    /// - Parameters:
    ///   - batches: Those from the first `nil` on were found, and not read. The first one is never `nil`.
    ///   - limit: The maximum number of batches.
    ///   - expired: The greatest stamp of a row that has expired; 0 for none. Later rows have greater stamps.
    package init(_ batches: [EventBatch?], _ entries: [EventBatch], limit: Int, expired: Int64) {
        isCut = batches.contains { $0 == nil }
        let batches = batches.prefix { $0 != nil }.compactMap { $0 }
        var entries = entries
        // A row above the unread batches would make their age unknown.
        if isCut, let last = batches.last { entries.removeAll { $0.stamp > last.stamp } }
        let all = entries.isEmpty ? batches : (batches + entries).sorted { ($0.stamp, $0.lane) < ($1.stamp, $1.lane) }
        self.batches = Array(all.prefix(limit))
        self.expired = expired
    }
}

/// The look-ups of a store for `FeedReader`.
package protocol FeedSource {
    /// Returns unread batches of all lanes, in ascending order of stamp and lane. Batches of log events are read at one instant.
    /// - Parameters:
    ///   - limit: the maximum number of batches.
    ///   - bytes: the size of the texts of runs after which no further batch has to be read, as `EventBatches.isCut` tells.
    ///     Greater than 0.
    /// - Returns: `nil` unless each place of the cursor has its batch, or that was a row of the audit log that has expired.
    func batches(after cursor: EventCursor, limit: Int, bytes: Int) throws -> EventBatches?
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
            case entry(AuditEntry)
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
        // Events of one thread are few in a batch, so that a page of them looks at all batches.
        let bytes = query.thread == nil ? EventBatches.maximumBytes : Int.max
        guard let found = try source.batches(after: cursor, limit: EventBatch.maximumCount, bytes: bytes) else {
            return nil
        }
        let batches = found.batches
        let (candidates, isCut) = candidates(in: batches)
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
        return page(entries, found, readUntil: stop)
    }

    /// - Returns: `nil` for an event that no longer exists, or that the query does not include.
    private func event(of candidate: Candidate, _ stored: [Key: LogEvent]) -> FeedEvent? {
        switch candidate.content {
        case .entry(let entry): return .audit(entry)
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

    private func page(_ entries: [FeedEvent], _ found: EventBatches, readUntil stop: Candidate?) -> EventFeedPage {
        var (next, last) = (cursor, Int64?.none)
        for (index, batch) in found.batches.enumerated() {
            var place = EventCursor.Place(stamp: batch.stamp)
            if let stop, index >= stop.batch {
                guard index == stop.batch, stop.before > 0 else { break }
                if stop.before < batch.count { place.count = stop.before }
            }
            next.move(to: place, in: batch.lane)
            last = batch.stamp
            if stop?.batch == index { break }
        }
        let isEnd = stop == nil && !found.isCut && found.batches.count < EventBatch.maximumCount
        // A cursor at the end is not behind one that was made before its row expired.
        if isEnd, found.expired > next.places[EventCursor.auditLane]?.stamp ?? 0 {
            next.move(to: EventCursor.Place(stamp: found.expired), in: EventCursor.auditLane)
        }
        return EventFeedPage(
            entries: entries, next: next, isEnd: isEnd,
            storedMilliseconds: last.map { $0 / 1_000 })
    }

    /// The unread events of the query's thread, and the rows of the audit log that the query includes, together at most
    /// `EventFeedPage.maximumLimit`.
    /// - Returns: the events, and whether there are more of them in the batches.
    private func candidates(in batches: [EventBatch]) -> ([Candidate], isCut: Bool) {
        var candidates: [Candidate] = []
        for (index, batch) in batches.enumerated() {
            if let entry = batch.entry {
                guard query.includes(entry) else { continue }
                guard candidates.count < EventFeedPage.maximumLimit else { return (candidates, true) }
                candidates.append(Candidate(batch: index, before: 0, content: .entry(entry)))
                continue
            }
            let place = cursor.places[batch.lane]
            let read = place?.stamp == batch.stamp ? place?.count ?? 0 : 0
            var before = 0
            for run in batch.runs {
                defer { before += run.count }
                if let thread = query.thread, thread != run.thread { continue }
                for (offset, seq) in run.seqs.enumerated() where before + offset >= read {
                    guard candidates.count < EventFeedPage.maximumLimit else { return (candidates, true) }
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
