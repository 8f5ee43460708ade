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
            let audit = try FeedTables(db: db).head().stamp
            if audit > 0 { cursor.move(to: EventCursor.Place(stamp: audit), in: EventCursor.auditLane) }
            return cursor
        }
    }

    package func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?] {
        try await read(.reading) { db in try cursors.map { try Self.oldestEvents(after: $0, db) } }
    }

    /// Returns the time at which the oldest events after a cursor were stored.
    static func oldestEvents(after cursor: EventCursor, _ db: Database) throws -> Int64? {
        let stamps = try [(lane, EventQueries.oldest), (EventCursor.auditLane, AuditQueries.oldestUnread)].compactMap {
            try Int64.fetchOne(db.cachedStatement(sql: $1), arguments: [cursor.lowerBound(of: $0)])
        }
        return stamps.min().map { $0 / 1000 }
    }

    /// The tables of the stream of stored events.
    private struct FeedTables: FeedSource {
        let db: Database

        /// The last stamp of the audit log, and the greatest one that has expired.
        func head() throws -> (stamp: Int64, expired: Int64) {
            try db.first(AuditQueries.head, []) { (stamp: $0[0], expired: $0[1]) } ?? (0, 0)
        }

        func batches(after cursor: EventCursor, limit: Int, bytes: Int) throws -> EventBatches? {
            let expired = try head().expired
            for (lane, place) in cursor.places {
                let isKnown =
                    switch lane {
                    case SQLiteStore.lane: try has(place.stamp, EventQueries.isKnown)
                    case EventCursor.auditLane:
                        try place.stamp <= expired || has(place.stamp, AuditQueries.hasStamp)
                    default: false
                    }
                guard isKnown else { return nil }
            }
            var size = 0
            let batches = try db.all(EventQueries.batches, [cursor.lowerBound(of: SQLiteStore.lane), limit]) {
                row -> EventBatch? in
                guard size < bytes else { return nil }
                let runs: String = row[1]
                size += runs.utf8.count
                return EventBatch(lane: SQLiteStore.lane, stamp: row[0], runs: try EventRun.all(in: runs))
            }
            let entries = try db.all(AuditQueries.unread, [cursor.lowerBound(of: EventCursor.auditLane), limit]) {
                EventBatch(stamp: $0[10], try AuditEntry(row: $0))
            }
            return EventBatches(batches, entries, limit: limit, expired: expired)
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
