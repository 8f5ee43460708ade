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
            let heads = RowTable.all.map { (lane: $0.lane, reply: pipeline.add($0.head(.int(0)))) }
            let replies = try connection.run(pipeline)
            var cursor = EventCursor()
            for end in try replies.all(ends) { cursor.move(to: EventCursor.Place(stamp: end.stamp), in: end.lane) }
            for head in heads {
                guard let stamp = try replies.first(head.reply)?.stamp, stamp > 0 else { continue }
                cursor.move(to: EventCursor.Place(stamp: stamp), in: head.lane.number)
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
            (0...EventCursor.lastLane).map { (number: number, lane: $0, stamp: cursor.lowerBound(of: $0)) }
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

    func batches(after cursor: EventCursor, limit: EventBatchLimit) throws -> EventBatches? {
        let places = cursor.places.filter { $0.key < EventCursor.maximumLanes }.sorted { $0.key < $1.key }
        let lanes = 0..<EventCursor.maximumLanes
        var pipeline = Pipeline()
        let known = pipeline.add(
            EventQueries.known(.ints(places.map { Int64($0.key) }), .ints(places.map(\.value.stamp))))
        let batches = pipeline.add(
            EventQueries.batches(
                .ints(lanes.map { Int64($0) }), .ints(lanes.map { cursor.lowerBound(of: $0) }),
                .int(Int64(limit.count)),
                .int(Int64(limit.bytes))))
        let tables = RowTable.all.map { table in
            let (place, bound) = (cursor.places[table.lane.number], cursor.lowerBound(of: table.lane.number))
            return (
                lane: table.lane, place: place, head: pipeline.add(table.head(.int(place?.stamp ?? 0))),
                unread: pipeline.add(table.unread(.int(bound), .int(Int64(limit.count))))
            )
        }
        let replies = try connection.run(pipeline)
        guard replies.count(known) == places.count else { return nil }
        var (rows, expired) = ([EventBatch](), [RowLane: Int64]())
        for table in tables {
            guard let head = try replies.first(table.head) else { return nil }
            if let place = table.place, !head.isKnown, place.stamp > head.expired { return nil }
            expired[table.lane] = head.expired
            rows += try replies.all(table.unread)
        }
        let found = try replies.all(batches)
        return EventBatches(
            found.map(\.batch), isCut: found.first.map { $0.found > found.count } ?? false, rows, limit: limit,
            expired: expired)
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
