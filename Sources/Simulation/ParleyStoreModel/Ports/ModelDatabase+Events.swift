package import ParleyModel
import ParleyStorage

extension ModelDatabase: EventFeed {
    package func events(
        after cursor: EventCursor, _ query: EventQuery
    ) async throws(StoreError) -> EventFeedPage? {
        try await read(.page) { try FeedReader(FeedTables(tables: $0), after: cursor, query).page() }
    }

    package func endOfEvents() async throws(StoreError) -> EventCursor {
        try await read(.page) { tables in
            EventCursor(tables.eventBatches.last.map { [$0.lane: EventCursor.Place(stamp: $0.stamp)] } ?? [:])
        }
    }

    package func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?] {
        try await read(.page) { tables in cursors.map { tables.oldestEvents(after: $0) } }
    }

    private struct FeedTables: FeedSource {
        let tables: Tables

        func batches(after cursor: EventCursor, limit: Int) -> [EventBatch]? {
            let batches = tables.eventBatches
            for (lane, place) in cursor.places {
                let index = ThreadLog.index(in: batches) { $0.stamp < place.stamp }
                guard index < batches.count, batches[index].stamp == place.stamp, batches[index].lane == lane else {
                    return nil
                }
            }
            let bound = cursor.lowerBound(of: Tables.eventLane)
            return Array(batches[ThreadLog.index(in: batches) { $0.stamp <= bound }...].prefix(limit))
        }

        func events(in runs: [EventRun]) throws -> [LogEvent] {
            try runs.flatMap { run in
                try ThreadReader(tables: tables, thread: run.thread).log(after: run.first &- 1, limit: run.count).events
            }
        }
    }
}

extension Tables {
    static let eventLane = 0

    /// Returns the time at which the oldest events after a cursor were stored.
    func oldestEvents(after cursor: EventCursor) -> Int64? {
        let bound = cursor.lowerBound(of: Self.eventLane)
        return eventBatches.first { $0.stamp > bound }.map { $0.stamp / 1000 }
    }

    /// Adds the events that a transaction has stored.
    mutating func add(_ journal: EventJournal, at milliseconds: Int64) {
        let stamp = max(milliseconds &* 1_000, (eventBatches.last?.stamp ?? 0) &+ 1)
        eventBatches.append(EventBatch(lane: Self.eventLane, stamp: stamp, runs: journal.all))
    }
}
