import GRDB
package import ParleyModel
import ParleyStorage

/// Statements of the groups of readers (`EventGroups`).
package enum EventGroupQueries {
    /// Gives worker `?3` with the token `?7` the lease of group `?1` at the time `?5`, for `?4` milliseconds.
    package static let lease = """
        INSERT INTO event_groups (name, place, reader, token, until_ms)
        SELECT ?1, ?2, ?3, ?7, ?5 + ?4
        WHERE EXISTS (SELECT 1 FROM event_groups WHERE name = ?1) OR (SELECT count(*) FROM event_groups) < ?6
        ON CONFLICT (name) DO UPDATE
        SET reader = excluded.reader, token = excluded.token, until_ms = excluded.until_ms
        WHERE event_groups.reader = excluded.reader OR event_groups.until_ms <= ?5
        """

    package static let row = "SELECT place, reader FROM event_groups WHERE name = ?"

    package static let extend = "UPDATE event_groups SET until_ms = ? WHERE name = ? AND token = ?"

    package static let move = """
        UPDATE event_groups SET place = ?, reader = '', token = '', until_ms = 0 WHERE name = ?
        """

    package static let acknowledge = "UPDATE event_groups SET place = ?, acknowledged_ms = ? WHERE name = ?"

    package static let all = """
        SELECT name, place, reader, until_ms, acknowledged_ms FROM event_groups ORDER BY name LIMIT ?
        """

    package static let oldest = "SELECT min(stamp) FROM event_batches WHERE stamp > ?"

    package static let delete = "DELETE FROM event_groups WHERE name = ?"
}

extension SQLiteStore: EventGroups {
    package func leaseGroup(
        _ name: String, to reader: EventGroupReader, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventGroupLease {
        let now = clock.milliseconds
        return try await write { db in
            try db.run(
                EventGroupQueries.lease,
                [name, cursor.text, reader.worker, milliseconds, now, EventGroup.maximumCount, reader.token])
            let isGranted = db.changesCount == 1
            guard let row = try Self.row(of: name, db) else { return .full }
            return isGranted ? .granted(row.place) : .refused(worker: row.reader)
        }
    }

    private static func row(of name: String, _ db: Database) throws -> (place: EventCursor, reader: String)? {
        try db.first(EventGroupQueries.row, [name]) { row in (try EventGroup.cursor(row[0]), row[1]) }
    }

    package func extendLease(
        of name: String, by reader: EventGroupReader, for milliseconds: Int64
    ) async throws(StoreError) -> Bool {
        let end = clock.milliseconds + milliseconds
        return try await write { db in
            try db.run(EventGroupQueries.extend, [end, name, reader.token])
            return db.changesCount == 1
        }
    }

    package func moveEventGroup(_ name: String, to cursor: EventCursor) async throws(StoreError) -> Bool {
        try await write { db in
            try db.run(EventGroupQueries.move, [cursor.text, name])
            return db.changesCount == 1
        }
    }

    package func acknowledge(
        _ cursor: EventCursor, of name: String, by worker: String
    ) async throws(StoreError) -> EventAcknowledgement {
        let now = clock.milliseconds
        return try await write { db in
            guard let row = try Self.row(of: name, db) else { return .unknown }
            let reply = EventAcknowledgement(cursor, by: worker, at: row.place, of: row.reader)
            if reply == .accepted { try db.run(EventGroupQueries.acknowledge, [cursor.text, now, name]) }
            return reply
        }
    }

    package func eventGroups() async throws(StoreError) -> [EventGroup] {
        try await read(.reading) { db in
            var groups = try db.all(EventGroupQueries.all, [EventGroup.maximumCount]) { row in
                EventGroup(
                    name: row[0], cursor: try EventGroup.cursor(row[1]), reader: row[2], untilMilliseconds: row[3],
                    acknowledgedMilliseconds: row[4])
            }
            let lanes = [
                (Self.lane, try db.cachedStatement(sql: EventGroupQueries.oldest)),
                (EventCursor.auditLane, try db.cachedStatement(sql: AuditQueries.oldestUnread)),
            ]
            for index in groups.indices {
                let stamps = try lanes.compactMap { lane, statement in
                    try Int64.fetchOne(statement, arguments: [groups[index].cursor.lowerBound(of: lane)])
                }
                groups[index].unreadMilliseconds = stamps.min().map { $0 / 1000 }
            }
            return groups
        }
    }

    package func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool {
        try await write { db in
            try db.run(EventGroupQueries.delete, [name])
            return db.changesCount == 1
        }
    }
}
