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
            var cursor = EventCursor()
            if let last = tables.eventBatches.last {
                cursor.move(to: EventCursor.Place(stamp: last.stamp), in: last.lane)
            }
            if tables.auditHead.stamp > 0 {
                cursor.move(to: EventCursor.Place(stamp: tables.auditHead.stamp), in: EventCursor.auditLane)
            }
            return cursor
        }
    }

    package func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?] {
        try await read(.page) { tables in cursors.map { tables.oldestEvents(after: $0) } }
    }

    private struct FeedTables: FeedSource {
        let tables: Tables

        func batches(after cursor: EventCursor, limit: Int, bytes: Int) -> EventBatches? {
            guard cursor.places.allSatisfy({ isKnown($1, in: $0) }) else { return nil }
            let batches = tables.eventBatches
            let bound = cursor.lowerBound(of: Tables.eventLane)
            return EventBatches(
                Array(batches[ThreadLog.index(in: batches) { $0.stamp <= bound }...].prefix(limit)),
                Array(tables.unreadAudit(after: cursor).prefix(limit)), limit: limit,
                expired: tables.auditHead.expired)
        }

        private func isKnown(_ place: EventCursor.Place, in lane: Int) -> Bool {
            if lane == EventCursor.auditLane {
                let next = tables.unreadAudit(after: EventCursor([lane: EventCursor.Place(stamp: place.stamp &- 1)]))
                return place.stamp <= tables.auditHead.expired || next.first { _ in true }?.stamp == place.stamp
            }
            let batches = tables.eventBatches
            let index = ThreadLog.index(in: batches) { $0.stamp < place.stamp }
            return index < batches.count && batches[index].stamp == place.stamp && batches[index].lane == lane
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
        let stamps = [
            eventBatches.first { $0.stamp > bound }?.stamp, unreadAudit(after: cursor).first { _ in true }?.stamp,
        ]
        return stamps.compactMap { $0 }.min().map { $0 / 1000 }
    }

    /// The rows of the audit log after a cursor, in the order of their stamps, which is that of their IDs.
    func unreadAudit(after cursor: EventCursor) -> some Sequence<EventBatch> {
        let bound = cursor.lowerBound(of: EventCursor.auditLane)
        let first = ThreadLog.index(in: audit) { auditStamps[$0.id] ?? 0 <= bound }
        return audit[first...].lazy.compactMap { entry in
            auditStamps[entry.id].map { EventBatch(stamp: $0, entry) }
        }
    }

    /// Adds the events that a transaction has stored.
    mutating func add(_ journal: EventJournal, at milliseconds: Int64) {
        let stamp = max(milliseconds &* 1_000, (eventBatches.last?.stamp ?? 0) &+ 1)
        eventBatches.append(EventBatch(lane: Self.eventLane, stamp: stamp, runs: journal.all))
    }
}
