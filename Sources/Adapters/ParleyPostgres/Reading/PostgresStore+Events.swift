package import ParleyModel
import ParleyStorage

extension PostgresStore: EventFeed {
    package func events(
        after cursor: EventCursor, _ query: EventQuery
    ) async throws(StoreError) -> EventFeedPage? {
        try await pool.perform(.page) { connection in
            try FeedReader(FeedTables(connection: connection), after: cursor, query).page()
        }
    }

    package func endOfEvents() async throws(StoreError) -> EventCursor {
        try await pool.perform(.page) { connection in
            var pipeline = Pipeline()
            let ends = pipeline.add(EventQueries.ends())
            let audit = pipeline.add(AuditQueries.head(.int(0)))
            let replies = try connection.run(pipeline)
            var cursor = EventCursor()
            for end in try replies.all(ends) { cursor.move(to: EventCursor.Place(stamp: end.stamp), in: end.lane) }
            if let stamp = try replies.first(audit)?.stamp, stamp > 0 {
                cursor.move(to: EventCursor.Place(stamp: stamp), in: EventCursor.auditLane)
            }
            return cursor
        }
    }

    package func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?] {
        try await pool.perform(.list) { connection in try connection.oldestEvents(after: cursors) }
    }
}

extension PostgresConnection {
    /// Returns for each cursor the time at which the oldest events after it were stored, in Unix milliseconds.
    func oldestEvents(after cursors: [EventCursor]) throws -> [Int64?] {
        let bounds = cursors.enumerated().flatMap { number, cursor in
            (0...EventCursor.auditLane).map { (number: number, lane: $0, stamp: cursor.lowerBound(of: $0)) }
        }
        let call = EventQueries.oldest(
            .ints(bounds.map { Int64($0.number) }), .ints(bounds.map { Int64($0.lane) }), .ints(bounds.map(\.stamp)))
        var times = [Int64?](repeating: nil, count: cursors.count)
        for oldest in try run(call) where times.indices.contains(oldest.cursor) {
            times[oldest.cursor] = oldest.stamp / 1000
        }
        return times
    }
}

/// The tables of the stream of stored events.
private struct FeedTables: FeedSource {
    let connection: PostgresConnection

    func batches(after cursor: EventCursor, limit: Int, bytes: Int) throws -> EventBatches? {
        let audit = cursor.places[EventCursor.auditLane]
        let places = cursor.places.filter { $0.key != EventCursor.auditLane }.sorted { $0.key < $1.key }
        let lanes = 0..<EventCursor.maximumLanes
        var pipeline = Pipeline()
        let known = pipeline.add(
            EventQueries.known(.ints(places.map { Int64($0.key) }), .ints(places.map(\.value.stamp))))
        let batches = pipeline.add(
            EventQueries.batches(
                .ints(lanes.map { Int64($0) }), .ints(lanes.map { cursor.lowerBound(of: $0) }), .int(Int64(limit)),
                .int(Int64(bytes))))
        let head = pipeline.add(AuditQueries.head(.int(audit?.stamp ?? 0)))
        let entries = pipeline.add(
            AuditQueries.unread(.int(cursor.lowerBound(of: EventCursor.auditLane)), .int(Int64(limit))))
        let replies = try connection.run(pipeline)
        guard replies.count(known) == places.count, let state = try replies.first(head) else { return nil }
        if let audit, !state.isKnown, audit.stamp > state.expired { return nil }
        return EventBatches(
            try replies.all(batches), try replies.all(entries), limit: limit, expired: state.expired)
    }

    func events(in runs: [EventRun]) throws -> [LogEvent] {
        let places = runs.flatMap { run in run.seqs.map { (run.thread.text, $0) } }
        let (threads, seqs) = (Parameter.texts(places.map(\.0)), Parameter.ints(places.map(\.1)))
        var pipeline = Pipeline(HistoryQueries.begin())
        let messages = pipeline.add(EventQueries.messages(threads, seqs)) { row in
            try HistoryReader.event(row, in: row.thread(ReadQueries.messageColumns + 1))
        }
        let others = pipeline.add(EventQueries.events(threads, seqs)) { row in
            try LogEvent(eventRow: row, thread: row.thread(HistoryQueries.eventColumns))
        }
        pipeline.add(Statement.commit())
        let replies = try connection.run(pipeline)
        return try replies.all(messages) + replies.all(others)
    }
}
