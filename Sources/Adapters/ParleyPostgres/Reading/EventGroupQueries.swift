package import ParleyModel

/// Statements of the groups of readers (`EventGroups`), by the server's clock.
package enum EventGroupQueries {
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    /// Returns the place of group `$1` if reader `$3` has the lease afterwards, for `$4` milliseconds.
    package static let lease = Query(
        """
        INSERT INTO event_groups (name, place, reader, until_ms)
        SELECT $1, $2, $3, \(now) + $4
        WHERE EXISTS (SELECT 1 FROM event_groups WHERE name = $1) OR (SELECT count(*) FROM event_groups) < $5
        ON CONFLICT (name) DO UPDATE SET reader = excluded.reader, until_ms = excluded.until_ms
        WHERE event_groups.reader = excluded.reader OR event_groups.until_ms <= \(now)
        RETURNING place
        """
    ) { try EventGroup.cursor(try $0.text(0)) }

    package static let extend = Query<Void>(
        "UPDATE event_groups SET until_ms = \(now) + $1 WHERE name = $2 AND reader = $3 RETURNING 1")

    package static let move = Query<Void>(
        "UPDATE event_groups SET place = $1, reader = '', until_ms = 0 WHERE name = $2 RETURNING 1")

    package static let acknowledge = Query<Void>(
        """
        UPDATE event_groups SET place = $1, acknowledged_ms = \(now) WHERE name = $2 AND reader = $3 RETURNING 1
        """)

    package static let all = Query(
        "SELECT name, place, reader, until_ms, acknowledged_ms FROM event_groups ORDER BY name LIMIT $1"
    ) { row in
        EventGroup(
            name: try row.text(0), cursor: try EventGroup.cursor(try row.text(1)), reader: try row.text(2),
            untilMilliseconds: try row.int(3), acknowledgedMilliseconds: try row.optionalInt(4))
    }

    package static let delete = Query<Void>("DELETE FROM event_groups WHERE name = $1 RETURNING 1")
}

extension PostgresStore: EventGroups {
    package func leaseGroup(
        _ name: String, to reader: String, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventCursor? {
        try await rows(
            .list,
            EventGroupQueries.lease(
                .text(name), .text(cursor.text), .text(reader), .int(milliseconds),
                .int(Int64(EventGroup.maximumCount)))
        ).first
    }

    package func extendLease(
        of name: String, by reader: String, for milliseconds: Int64
    ) async throws(StoreError) -> Bool {
        try await !rows(.list, EventGroupQueries.extend(.int(milliseconds), .text(name), .text(reader))).isEmpty
    }

    package func moveEventGroup(_ name: String, to cursor: EventCursor) async throws(StoreError) -> Bool {
        try await !rows(.list, EventGroupQueries.move(.text(cursor.text), .text(name))).isEmpty
    }

    package func acknowledge(
        _ cursor: EventCursor, of name: String, by reader: String
    ) async throws(StoreError) -> Bool {
        try await !rows(.list, EventGroupQueries.acknowledge(.text(cursor.text), .text(name), .text(reader))).isEmpty
    }

    package func eventGroups() async throws(StoreError) -> [EventGroup] {
        try await rows(.list, EventGroupQueries.all(.int(Int64(EventGroup.maximumCount))))
    }

    package func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool {
        try await !rows(.list, EventGroupQueries.delete(.text(name))).isEmpty
    }
}
