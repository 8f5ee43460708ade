package import ParleyModel

/// Statements of the groups of readers (`EventGroups`), by the server's clock.
package enum EventGroupQueries {
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    /// Returns the place of group `$1` if it exists, and worker `$2` with the token `$3` has the lease afterwards, for `$4`
    /// milliseconds.
    package static let lease = Query(
        """
        UPDATE event_groups SET reader = $2, token = $3, until_ms = \(now) + $4
        WHERE name = $1 AND (reader = $2 OR until_ms <= \(now)) RETURNING place
        """
    ) { try EventGroup.cursor(try $0.text(0)) }

    /// Makes group `$1` at the place `$2` with this lease, unless it exists or there are `$6` others. Needs
    /// `Locks.eventGroups`.
    package static let make = Statement(
        """
        INSERT INTO event_groups (name, place, reader, token, until_ms)
        SELECT $1, $2, $3, $4, \(now) + $5 WHERE (SELECT count(*) FROM event_groups) < $6
        ON CONFLICT (name) DO NOTHING
        """)

    package static let reader = Query("SELECT reader FROM event_groups WHERE name = $1") { try $0.text(0) }

    /// Returns the place and the worker of a group, whose row is locked until the end of the transaction.
    package static let lockedRow = Query("SELECT place, reader FROM event_groups WHERE name = $1 FOR UPDATE") { row in
        (place: try EventGroup.cursor(try row.text(0)), reader: try row.text(1))
    }

    package static let extend = Query<Void>(
        "UPDATE event_groups SET until_ms = \(now) + $1 WHERE name = $2 AND token = $3 RETURNING 1")

    package static let move = Query<Void>(
        """
        UPDATE event_groups SET place = $1, reader = '', token = '', until_ms = 0 WHERE name = $2 RETURNING 1
        """)

    package static let acknowledge = Statement(
        "UPDATE event_groups SET place = $1, acknowledged_ms = \(now) WHERE name = $2")

    package static let all = Query(
        "SELECT name, place, reader, until_ms, acknowledged_ms FROM event_groups ORDER BY name LIMIT $1"
    ) { row in
        EventGroup(
            name: try row.text(0), cursor: try EventGroup.cursor(try row.text(1)), reader: try row.text(2),
            untilMilliseconds: try row.int(3), acknowledgedMilliseconds: try row.optionalInt(4))
    }

    /// Returns the oldest stamp above the bounds `$3` of the lanes `$2` of each of the groups `$1`, which are numbers; no row
    /// for a group without one. Reads one row for each bound.
    package static let oldest = Query(
        """
        SELECT bound.number, min(batch.stamp)
        FROM unnest($1, $2, $3) AS bound (number, lane, stamp) CROSS JOIN LATERAL (
            (SELECT stamp FROM event_batches
            WHERE event_batches.lane = bound.lane AND event_batches.stamp > bound.stamp
            ORDER BY event_batches.stamp LIMIT 1)
            UNION ALL
            (SELECT stamp FROM audit
            WHERE bound.lane = \(EventCursor.auditLane) AND audit.stamp > bound.stamp
            ORDER BY audit.stamp LIMIT 1)) AS batch
        GROUP BY bound.number
        """
    ) { row in (group: Int(try row.int(0)), stamp: try row.int(1)) }

    package static let delete = Query<Void>("DELETE FROM event_groups WHERE name = $1 RETURNING 1")
}

extension PostgresStore: EventGroups {
    package func leaseGroup(
        _ name: String, to reader: EventGroupReader, for milliseconds: Int64, beginningAt cursor: EventCursor
    ) async throws(StoreError) -> EventGroupLease {
        let (worker, token) = (Parameter.text(reader.worker), Parameter.text(reader.token))
        return try await pool.perform(.list) { connection in
            let lease = EventGroupQueries.lease(.text(name), worker, token, .int(milliseconds))
            var pipeline = Pipeline()
            var (place, holder) = (pipeline.add(lease), pipeline.add(EventGroupQueries.reader(.text(name))))
            var replies = try connection.run(pipeline)
            if replies.count(holder) == 0 {
                // Only a new group is counted, since all transactions that make one wait for each other.
                pipeline = Pipeline(Statement.begin(), Locks.eventGroups())
                pipeline.add(
                    EventGroupQueries.make(
                        .text(name), .text(cursor.text), worker, token, .int(milliseconds),
                        .int(Int64(EventGroup.maximumCount))))
                // Another node may have made it meanwhile.
                (place, holder) = (pipeline.add(lease), pipeline.add(EventGroupQueries.reader(.text(name))))
                pipeline.add(Statement.commit())
                replies = try connection.run(pipeline)
            }
            if let place = try replies.first(place) { return .granted(place) }
            return try replies.first(holder).map { .refused(worker: $0) } ?? .full
        }
    }

    package func extendLease(
        of name: String, by reader: EventGroupReader, for milliseconds: Int64
    ) async throws(StoreError) -> Bool {
        let call = EventGroupQueries.extend(.int(milliseconds), .text(name), .text(reader.token))
        return try await !rows(.list, call).isEmpty
    }

    package func moveEventGroup(_ name: String, to cursor: EventCursor) async throws(StoreError) -> Bool {
        try await !rows(.list, EventGroupQueries.move(.text(cursor.text), .text(name))).isEmpty
    }

    package func acknowledge(
        _ cursor: EventCursor, of name: String, by worker: String
    ) async throws(StoreError) -> EventAcknowledgement {
        try await pool.perform(.list) { connection in
            var pipeline = Pipeline(Statement.begin())
            let found = pipeline.add(EventGroupQueries.lockedRow(.text(name)))
            let row = try connection.run(pipeline).first(found)
            let reply =
                row.map { EventAcknowledgement(cursor, by: worker, at: $0.place, of: $0.reader) } ?? .unknown
            pipeline = Pipeline()
            if reply == .accepted { pipeline.add(EventGroupQueries.acknowledge(.text(cursor.text), .text(name))) }
            pipeline.add(Statement.commit())
            try connection.run(pipeline)
            return reply
        }
    }

    package func eventGroups() async throws(StoreError) -> [EventGroup] {
        try await pool.perform(.list) { connection in
            var groups = try connection.run(EventGroupQueries.all(.int(Int64(EventGroup.maximumCount))))
            let bounds = groups.enumerated().flatMap { number, group in
                (0...EventCursor.auditLane).map {
                    (number: number, lane: $0, stamp: group.cursor.lowerBound(of: $0))
                }
            }
            let call = EventGroupQueries.oldest(
                .ints(bounds.map { Int64($0.number) }), .ints(bounds.map { Int64($0.lane) }), .ints(bounds.map(\.stamp))
            )
            for oldest in try connection.run(call) where groups.indices.contains(oldest.group) {
                groups[oldest.group].unreadMilliseconds = oldest.stamp / 1000
            }
            return groups
        }
    }

    package func deleteEventGroup(_ name: String) async throws(StoreError) -> Bool {
        try await !rows(.list, EventGroupQueries.delete(.text(name))).isEmpty
    }
}
