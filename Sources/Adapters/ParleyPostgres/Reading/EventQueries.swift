import ParleyModel
package import ParleyStorage

/// Statements of the stream of stored events (`EventFeed`).
package enum EventQueries {
    /// Adds the batch `$2` of a transaction that holds the lock of the lane `$1`. Its snapshot has every batch whose lane or
    /// threads this transaction had to wait for, so the stamp is above theirs, however the clock is set.
    package static let insert = Statement(
        """
        INSERT INTO event_batches (lane, stamp, runs)
        SELECT $1, greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, max(newest.stamp) + 1), $2
        FROM \(newestStamps) AS newest
        """)

    /// The newest stamp of each lane; `NULL` for a lane without batches.
    private static let newestStamps = """
        (SELECT lane, (SELECT stamp FROM event_batches WHERE event_batches.lane = lanes.lane
            ORDER BY stamp DESC LIMIT 1) AS stamp
        FROM generate_series(0::bigint, \(EventCursor.maximumLanes - 1)) AS lanes (lane))
        """

    /// Returns the newest stamp of each lane that has one.
    package static let ends = Query("SELECT lane, stamp FROM \(newestStamps) AS newest WHERE stamp IS NOT NULL") {
        row in
        (lane: Int(try row.int(0)), stamp: try row.int(1))
    }

    /// Returns a row for each of these batches that exists.
    package static let known = Query<Void>(
        """
        SELECT 1 FROM unnest($1, $2) AS place (lane, stamp) JOIN event_batches USING (lane, stamp)
        """)

    /// Returns the first `$3` batches above a stamp in each lane, in the order of stamps, until they have `$4` bytes, and with
    /// each the number of batches without that limit. The statement reads one snapshot of all lanes: a batch that depends on
    /// another one is only visible together with it.
    package static let batches = Query(
        """
        SELECT lane, stamp, runs, found FROM (
            SELECT lane, stamp, runs, count(*) OVER () AS found,
                sum(octet_length(runs)) OVER (ORDER BY stamp, lane) - octet_length(runs) AS before
            FROM (
                SELECT batch.lane, batch.stamp, batch.runs
                FROM unnest($1, $2) AS bound (lane, stamp) CROSS JOIN LATERAL (
                    SELECT lane, stamp, runs FROM event_batches
                    WHERE event_batches.lane = bound.lane AND event_batches.stamp > bound.stamp
                    ORDER BY event_batches.stamp LIMIT $3) AS batch
                ORDER BY batch.stamp, batch.lane LIMIT $3) AS first) AS sized
        WHERE before < $4 ORDER BY stamp, lane
        """
    ) { row in
        (
            batch: EventBatch(lane: Int(try row.int(0)), stamp: try row.int(1), text: try row.text(2)),
            found: try row.int(3)
        )
    }

    /// Returns the oldest stamp above the bounds `$3` of the lanes `$2` of each of the cursors `$1`, which are numbers; no row
    /// for a cursor without one. Reads one row for each bound.
    package static let oldest = Query(
        """
        SELECT bound.number, min(batch.stamp)
        FROM unnest($1, $2, $3) AS bound (number, lane, stamp) CROSS JOIN LATERAL (
            (SELECT stamp FROM event_batches
            WHERE event_batches.lane = bound.lane AND event_batches.stamp > bound.stamp
            ORDER BY event_batches.stamp LIMIT 1)
            \(RowTable.all.map(oldestRow).joined(separator: "\n            "))) AS batch
        GROUP BY bound.number
        """
    ) { row in (cursor: Int(try row.int(0)), stamp: try row.int(1)) }

    private static func oldestRow(of table: RowTable) -> String {
        let name = table.table
        return """
            UNION ALL (SELECT stamp FROM \(name) WHERE bound.lane = \(table.lane.number) AND \(name).stamp > bound.stamp
            ORDER BY \(name).stamp LIMIT 1)
            """
    }

    // The columns of `LogEvent.init(messageRow:thread:)` and of the reactions, then the thread.
    // `OFFSET 0` keeps the look-up by the key. A plan that was made while the table was nearly empty would otherwise join with
    // all rows of the table, until the server has collected statistics.
    package static let messages = Statement(
        """
        SELECT \(ReadQueries.message), \(HistoryQueries.reactions), thread_id
        FROM unnest($1, $2) AS place (thread, place_seq)
        CROSS JOIN LATERAL (
            SELECT * FROM messages WHERE messages.thread_id = place.thread AND messages.seq = place.place_seq OFFSET 0) AS messages
        """)

    // The columns of `LogEvent.init(eventRow:thread:)`, then the thread.
    package static let events = Statement(
        """
        SELECT \(HistoryQueries.event), thread_id
        FROM unnest($1, $2) AS place (thread, place_seq)
        CROSS JOIN LATERAL (
            SELECT * FROM events WHERE events.thread_id = place.thread AND events.seq = place.place_seq OFFSET 0) AS events
        """)
}
