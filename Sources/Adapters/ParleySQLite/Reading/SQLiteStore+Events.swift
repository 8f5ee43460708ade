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
    /// The only lane, since SQLite has one writer.
    static let lane = 0

    package func events(
        after cursor: EventCursor, _ query: EventQuery
    ) async throws(StoreError) -> EventFeedPage? {
        try await read(.reading) { db in try FeedReader(FeedTables(db: db), after: cursor, query).page() }
    }

    package func endOfEvents() async throws(StoreError) -> EventCursor {
        try await read(.reading) { db in
            let stamp = try Int64.fetchOne(db.cachedStatement(sql: EventQueries.end))
            return EventCursor(stamp.map { [Self.lane: EventCursor.Place(stamp: $0)] } ?? [:])
        }
    }

    package func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?] {
        try await read(.reading) { db in try cursors.map { try Self.oldestEvents(after: $0, db) } }
    }

    /// Returns the time at which the oldest events after a cursor were stored.
    static func oldestEvents(after cursor: EventCursor, _ db: Database) throws -> Int64? {
        let statement = try db.cachedStatement(sql: EventQueries.oldest)
        return try Int64.fetchOne(statement, arguments: [cursor.lowerBound(of: lane)]).map { $0 / 1000 }
    }

    /// The tables of the stream of stored events.
    private struct FeedTables: FeedSource {
        let db: Database

        func batches(after cursor: EventCursor, limit: Int) throws -> [EventBatch]? {
            for (lane, place) in cursor.places {
                let isKnown = try Bool.fetchOne(
                    db.cachedStatement(sql: EventQueries.isKnown), arguments: [place.stamp])
                guard lane == SQLiteStore.lane, isKnown == true else { return nil }
            }
            return try db.all(EventQueries.batches, [cursor.lowerBound(of: SQLiteStore.lane), limit]) { row in
                EventBatch(lane: SQLiteStore.lane, stamp: row[0], runs: try EventRun.all(in: row[1]))
            }
        }

        func events(in runs: [EventRun]) throws -> [LogEvent] {
            try runs.flatMap { run in
                try HistoryReader(db: db, thread: run.thread).log(after: run.first &- 1, limit: run.count).events
            }
        }
    }
}
