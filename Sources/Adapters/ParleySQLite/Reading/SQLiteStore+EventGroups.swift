import GRDB
package import ParleyModel
import ParleyStorage

/// Statements of the groups of readers (`EventGroups`).
package enum EventGroupQueries {
    /// Gives reader `?3` the lease of group `?1` at the time `?5`, for `?4` milliseconds.
    package static let lease = """
        INSERT INTO event_groups (name, place, reader, until_ms)
        SELECT ?1, ?2, ?3, ?5 + ?4
        WHERE EXISTS (SELECT 1 FROM event_groups WHERE name = ?1) OR (SELECT count(*) FROM event_groups) < ?6
        ON CONFLICT (name) DO UPDATE SET reader = excluded.reader, until_ms = excluded.until_ms
        WHERE event_groups.reader = excluded.reader OR event_groups.until_ms <= ?5
        """

    package static let place = "SELECT place FROM event_groups WHERE name = ?"

    package static let extend = "UPDATE event_groups SET until_ms = ? WHERE name = ? AND reader = ?"

    package static let move = "UPDATE event_groups SET place = ?, reader = '', until_ms = 0 WHERE name = ?"

    package static let acknowledge = """
        UPDATE event_groups SET place = ?, acknowledged_ms = ? WHERE name = ? AND reader = ?
        """

    package static let all = """
        SELECT name, place, reader, until_ms, acknowledged_ms FROM event_groups ORDER BY name LIMIT ?
        """

    package static let delete = "DELETE FROM event_groups WHERE name = ?"
}

extension SQLiteStore: EventGroups {
    package func leaseGroup(
        _ name: String, to reader: String, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventCursor? {
        let now = clock.milliseconds
        return try await write { db in
            try db.run(
                EventGroupQueries.lease, [name, cursor.text, reader, milliseconds, now, EventGroup.maximumCount])
            guard db.changesCount == 1 else { return nil }
            return try db.first(EventGroupQueries.place, [name]) { try EventGroup.cursor($0[0]) }
        }
    }

    package func extendLease(
        of name: String, by reader: String, for milliseconds: Int64
    ) async throws(StoreError) -> Bool {
        let end = clock.milliseconds + milliseconds
        return try await write { db in
            try db.run(EventGroupQueries.extend, [end, name, reader])
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
        _ cursor: EventCursor, of name: String, by reader: String
    ) async throws(StoreError) -> Bool {
        let now = clock.milliseconds
        return try await write { db in
            try db.run(EventGroupQueries.acknowledge, [cursor.text, now, name, reader])
            return db.changesCount == 1
        }
    }

    package func eventGroups() async throws(StoreError) -> [EventGroup] {
        try await read(.reading) { db in
            try db.all(EventGroupQueries.all, [EventGroup.maximumCount]) { row in
                EventGroup(
                    name: row[0], cursor: try EventGroup.cursor(row[1]), reader: row[2], untilMilliseconds: row[3],
                    acknowledgedMilliseconds: row[4])
            }
        }
    }

    package func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool {
        try await write { db in
            try db.run(EventGroupQueries.delete, [name])
            return db.changesCount == 1
        }
    }
}
