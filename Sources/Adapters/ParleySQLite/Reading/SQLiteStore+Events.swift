import GRDB
package import ParleyModel
import ParleyStorage

/// Statements of the stream of stored events (`EventFeed`).
package enum EventQueries {
    /// Adds the batch `?2` of a transaction at the time `?1`, in milliseconds.
    package static let insert = """
        INSERT INTO event_batches (stamp, runs)
        SELECT max(?1 * 1000, coalesce((SELECT max(stamp) FROM event_batches), 0) + 1), ?2
        """

    package static let end = "SELECT max(stamp) FROM event_batches"
    package static let oldest = "SELECT min(stamp) FROM event_batches WHERE stamp > ?"
    package static let isKnown = "SELECT EXISTS (SELECT 1 FROM event_batches WHERE stamp = ?)"
    package static let batches = "SELECT stamp, runs FROM event_batches WHERE stamp > ? ORDER BY stamp LIMIT ?"
}

extension SQLiteStore: EventFeed {
    /// The only lane of log events, since SQLite has one writer.
    static let lane = 0

    package func events(
        after cursor: EventCursor, _ query: EventQuery
    ) async throws(StoreError) -> EventFeedPage? {
        try await read(.reading) { db in try FeedReader(FeedTables(db: db), after: cursor, query).page() }
    }

    package func endOfEvents() async throws(StoreError) -> EventCursor {
        try await read(.reading) { db in
            var cursor = EventCursor()
            if let stamp = try Int64.fetchOne(db.cachedStatement(sql: EventQueries.end)) {
                cursor.move(to: EventCursor.Place(stamp: stamp), in: Self.lane)
            }
            for (lane, head) in try RowTable.heads(db) where head.stamp > 0 {
                cursor.move(to: EventCursor.Place(stamp: head.stamp), in: lane.number)
            }
            return cursor
        }
    }

    package func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?] {
        try await read(.reading) { db in try cursors.map { try Self.oldestEvents(after: $0, db) } }
    }

    /// Returns the time at which the oldest events after a cursor were stored.
    static func oldestEvents(after cursor: EventCursor, _ db: Database) throws -> Int64? {
        let rows = RowTable.all.map { ($0.lane.number, $0.oldestUnread) }
        let stamps = try ([(lane, EventQueries.oldest)] + rows).compactMap {
            try Int64.fetchOne(db.cachedStatement(sql: $1), arguments: [cursor.lowerBound(of: $0)])
        }
        return stamps.min().map { $0 / 1000 }
    }

    /// The tables of the stream of stored events.
    private struct FeedTables: FeedSource {
        let db: Database

        func batches(after cursor: EventCursor, limit: EventBatchLimit) throws -> EventBatches? {
            let heads = try RowTable.heads(db)
            for (lane, place) in cursor.places {
                let isKnown =
                    if lane == SQLiteStore.lane {
                        try has(place.stamp, EventQueries.isKnown)
                    } else if let table = RowTable.all.first(where: { $0.lane.number == lane }) {
                        try place.stamp <= heads[table.lane]?.expired ?? 0 || has(place.stamp, table.hasStamp)
                    } else {
                        false
                    }
                guard isKnown else { return nil }
            }
            let (batches, isCut) = try batches(above: cursor.lowerBound(of: SQLiteStore.lane), limit)
            let rows = try RowTable.all.flatMap { try $0.unread(after: cursor, limit: limit.count, db) }
            return EventBatches(batches, isCut: isCut, rows, limit: limit, expired: heads.mapValues(\.expired))
        }

        /// - Returns: the batches, and whether there are more of them than `limit.bytes` has let through.
        private func batches(above bound: Int64, _ limit: EventBatchLimit) throws -> ([EventBatch], isCut: Bool) {
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: EventQueries.batches), arguments: [bound, limit.count])
            var (batches, bytes) = ([EventBatch](), 0)
            while let row = try rows.next() {
                guard bytes < limit.bytes else { return (batches, true) }
                let text: String = row[1]
                bytes += text.utf8.count
                batches.append(EventBatch(lane: SQLiteStore.lane, stamp: row[0], text: text))
            }
            return (batches, false)
        }

        private func has(_ stamp: Int64, _ sql: String) throws -> Bool {
            try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [stamp]) ?? false
        }

        func events(in runs: [EventRun]) throws -> [LogEvent] {
            try runs.flatMap { run in
                try HistoryReader(db: db, thread: run.thread).log(after: run.first &- 1, limit: run.count).events
            }
        }
    }
}
