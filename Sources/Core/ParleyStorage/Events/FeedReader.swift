package import ParleyModel

/// A stored batch of events: a row of the table `event_batches`.
package struct EventBatch: Hashable, Sendable {
    package let lane: Int
    /// The database's time in Unix microseconds, raised where needed so that stamps ascend in the order of commits that depend
    /// on each other, and are unique in their lane.
    package let stamp: Int64
    package let runs: [EventRun]

    package init(lane: Int, stamp: Int64, runs: [EventRun]) {
        self.lane = lane
        self.stamp = stamp
        self.runs = runs
    }

    /// The number of events.
    package var count: Int { runs.reduce(0) { $0 + $1.count } }

    /// The maximum number of batches that a page reads.
    package static let maximumCount = 64
}

/// The look-ups of a store for `FeedReader`.
package protocol FeedSource {
    /// Returns unread batches of all lanes, read at one instant, in ascending order of stamp and lane.
    /// - Parameter limit: the maximum number of batches.
    /// - Returns: `nil` unless each place of the cursor has its batch.
    func batches(after cursor: EventCursor, limit: Int) throws -> [EventBatch]?
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
        /// The index of the batch.
        let batch: Int
        /// The number of events in the batch before it.
        let before: Int
        let run: EventRun
        let seq: Int64
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
        guard let batches = try source.batches(after: cursor, limit: EventBatch.maximumCount) else { return nil }
        let (candidates, isCut) = candidates(in: batches)
        let stored = try load(candidates)
        var events: [LogEvent] = []
        var stop: Candidate?
        for candidate in candidates {
            guard let event = stored[Key(thread: candidate.run.thread, seq: candidate.seq)],
                event.position.epoch.text == candidate.run.epoch, query.includes(event)
            else { continue }
            if events.count == query.limit {
                stop = candidate
                break
            }
            events.append(event)
        }
        if stop == nil, isCut { stop = isCutAt(candidates) }
        return page(events, batches, readUntil: stop)
    }

    /// The place at which a page ends that has looked at as many events as it may: after its last candidate.
    private func isCutAt(_ candidates: [Candidate]) -> Candidate? {
        candidates.last.map { last in
            Candidate(batch: last.batch, before: last.before + 1, run: last.run, seq: last.seq)
        }
    }

    private func page(_ events: [LogEvent], _ batches: [EventBatch], readUntil stop: Candidate?) -> EventFeedPage {
        var (next, last) = (cursor, Int64?.none)
        for (index, batch) in batches.enumerated() {
            var place = EventCursor.Place(stamp: batch.stamp)
            if let stop, index >= stop.batch {
                guard index == stop.batch, stop.before > 0 else { break }
                if stop.before < batch.count { place.count = stop.before }
            }
            next.move(to: place, in: batch.lane)
            last = batch.stamp
            if stop?.batch == index { break }
        }
        return EventFeedPage(
            events: events, next: next, isEnd: stop == nil && batches.count < EventBatch.maximumCount,
            storedMilliseconds: last.map { $0 / 1_000 })
    }

    /// The unread events of the query's thread, at most `EventFeedPage.maximumLimit`.
    /// - Returns: the events, and whether there are more of them in the batches.
    private func candidates(in batches: [EventBatch]) -> ([Candidate], isCut: Bool) {
        var candidates: [Candidate] = []
        for (index, batch) in batches.enumerated() {
            let place = cursor.places[batch.lane]
            let read = place?.stamp == batch.stamp ? place?.count ?? 0 : 0
            var before = 0
            for run in batch.runs {
                defer { before += run.count }
                if let thread = query.thread, thread != run.thread { continue }
                for (offset, seq) in run.seqs.enumerated() where before + offset >= read {
                    guard candidates.count < EventFeedPage.maximumLimit else { return (candidates, true) }
                    candidates.append(Candidate(batch: index, before: before + offset, run: run, seq: seq))
                }
            }
        }
        return (candidates, false)
    }

    private func load(_ candidates: [Candidate]) throws -> [Key: LogEvent] {
        var journal: [EventRun] = []
        for candidate in candidates {
            let run = EventRun(thread: candidate.run.thread, epoch: candidate.run.epoch, first: candidate.seq)
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
