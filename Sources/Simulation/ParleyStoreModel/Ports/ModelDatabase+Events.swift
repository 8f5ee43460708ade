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
            for (lane, head) in tables.laneHeads where head.stamp > 0 {
                cursor.move(to: EventCursor.Place(stamp: head.stamp), in: lane.number)
            }
            return cursor
        }
    }

    package func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?] {
        try await read(.page) { tables in cursors.map { tables.oldestEvents(after: $0) } }
    }

    private struct FeedTables: FeedSource {
        let tables: Tables

        func batches(after cursor: EventCursor, limit: EventBatchLimit) -> EventBatches? {
            guard cursor.places.allSatisfy({ isKnown($1, in: $0) }) else { return nil }
            let batches = tables.eventBatches
            let bound = cursor.lowerBound(of: Tables.eventLane)
            return EventBatches(
                Array(batches[ThreadLog.index(in: batches) { $0.stamp <= bound }...].prefix(limit.count)),
                isCut: false,
                RowLane.allCases.flatMap { tables.unreadRows(of: $0, after: cursor, limit: limit.count) }, limit: limit,
                expired: tables.laneHeads.mapValues(\.expired))
        }

        private func isKnown(_ place: EventCursor.Place, in lane: Int) -> Bool {
            if let row = RowLane(number: lane) {
                let before = EventCursor([lane: EventCursor.Place(stamp: place.stamp &- 1)])
                return place.stamp <= tables.laneHeads[row]?.expired ?? 0
                    || tables.unreadRows(of: row, after: before, limit: 1).first?.stamp == place.stamp
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
        let rows = RowLane.allCases.flatMap { unreadRows(of: $0, after: cursor, limit: 1) }.map(\.stamp)
        let stamps = rows + [eventBatches.first { $0.stamp > bound }?.stamp].compactMap { $0 }
        return stamps.min().map { $0 / 1000 }
    }

    // MARK: Rows

    /// The rows of a lane after a cursor, in the order of their stamps.
    func unreadRows(of lane: RowLane, after cursor: EventCursor, limit: Int) -> [EventBatch] {
        let bound = cursor.lowerBound(of: lane.number)
        switch lane {
        case .audit:
            // The order of their stamps is that of their IDs.
            let first = ThreadLog.index(in: audit) { auditStamps[$0.id] ?? 0 <= bound }
            return audit[first...].prefix(limit).compactMap { entry in
                auditStamps[entry.id].map { EventBatch(.audit, stamp: $0, .audit(entry)) }
            }
        case .unseen:
            let first = ThreadLog.index(in: unseen) { $0.stamp <= bound }
            return unseen[first...].prefix(limit).map { row in
                EventBatch(.unseen, stamp: row.stamp, isShown(row.message) ? .unseen(row.message) : nil)
            }
        }
    }

    /// Returns the stamp of a new row.
    mutating func nextStamp(in lane: RowLane, at milliseconds: Int64) -> Int64 {
        let stamp = max(milliseconds &* 1_000, (laneHeads[lane]?.stamp ?? 0) &+ 1)
        laneHeads[lane, default: (0, 0)].stamp = stamp
        return stamp
    }

    /// Notes that the row with a stamp is gone.
    mutating func expire(_ stamp: Int64, in lane: RowLane) {
        let expired = laneHeads[lane]?.expired ?? 0
        laneHeads[lane, default: (0, 0)].expired = max(expired, stamp)
    }

    /// Adds the events that a transaction has stored.
    mutating func add(_ journal: EventJournal, at milliseconds: Int64) {
        let stamp = max(milliseconds &* 1_000, (eventBatches.last?.stamp ?? 0) &+ 1)
        eventBatches.append(EventBatch(lane: Self.eventLane, stamp: stamp, runs: journal.all))
    }
}
