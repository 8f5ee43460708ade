import ParleyModel
import ParleyStorage

/// Reads a page of the history or of the log from one snapshot, in runs along the primary keys.
struct HistoryReader {
    let connection: PostgresConnection
    let thread: ThreadID

    func page(_ query: HistoryQuery) throws -> HistoryPage {
        var (pipeline, seqOfDate) = (Pipeline(HistoryQueries.begin()), Int64?.none)
        if case .at(let milliseconds) = query.place {
            let last = pipeline.add(DateQueries.lastSeqUpTo(id, .int(milliseconds)))
            seqOfDate = try connection.run(pipeline).first(last)
            pipeline = Pipeline()
        }
        let runs = HistoryRun.runs(of: query, seqOfDate: seqOfDate).map { run in
            pipeline.add(call(run)) { [thread] in try Self.event($0, in: thread) }
        }
        let head = pipeline.add(ReadQueries.head(id))
        pipeline.add(Statement.commit())
        let replies = try connection.run(pipeline)
        let messages = try runs.flatMap { try replies.all($0) }
        return HistoryPage(
            counting: messages.sorted { $0.position.seq < $1.position.seq }, at: query.place,
            head: try replies.first(head))
    }

    func log(after seq: Int64, limit: Int) throws -> LogPage {
        let limit = LogPage.limit(limit)
        var pipeline = Pipeline(HistoryQueries.begin())
        let messages = pipeline.add(HistoryQueries.oldestMessages(id, .int(seq), .int(Int64(limit + 1)))) { [thread] in
            try Self.event($0, in: thread)
        }
        let others = pipeline.add(HistoryQueries.oldestEvents(id, .int(seq), .int(Int64(limit + 1)))) { [thread] in
            try LogEvent(eventRow: $0, thread: thread)
        }
        let head = pipeline.add(ReadQueries.head(id))
        pipeline.add(Statement.commit())
        let replies = try connection.run(pipeline)
        return LogPage(
            merging: try replies.all(messages), try replies.all(others), limit: limit, head: try replies.first(head))
    }

    /// Decodes a message, followed by the columns of its reactions.
    static func event(_ row: Row, in thread: ThreadID) throws -> LogEvent {
        let event = try LogEvent(messageRow: row, thread: thread)
        guard event.message?.isErased == false, let reactions = try row.optionalText(ReadQueries.messageColumns) else {
            return event
        }
        return event.with(
            reactions: reactions.split(separator: "\n").map { line in
                let words = line.split(separator: " ")
                return ReactionCount(
                    emoji: String(words[0]), count: Int64(words[1]) ?? 0,
                    users: words.dropFirst(2).map { UserID(trusted: String($0)) })
            })
    }

    private var id: Parameter { .text(thread.text) }

    private func call(_ run: HistoryRun) -> Call {
        switch run {
        case .below(let seq, let limit): HistoryQueries.newestMessages(id, .int(seq), .int(Int64(limit)))
        case .above(let seq, let limit): HistoryQueries.oldestMessages(id, .int(seq), .int(Int64(limit)))
        }
    }
}

extension LogEvent {
    /// Decodes a stored event that is not a message, from the columns of `HistoryQueries.oldestEvents`.
    /// - Throws: `StoreError.failed` if the kind is unknown to this version, or if a field is missing.
    init(eventRow row: Row, thread: ThreadID) throws {
        let fields = EventFields(
            kind: try row.eventKind(4), user: UserID(trusted: try row.text(5)), userName: try row.text(6),
            by: try row.optionalText(7).map { UserID(trusted: $0) },
            messageID: try row.optionalText(8).map { MessageID(trusted: $0) }, messageSeq: try row.optionalInt(9),
            text: try row.optionalText(10), isOn: try row.optionalBool(11))
        guard let body = fields.body else {
            throw StoreError.failed("an event of the kind \(fields.kind.rawValue) lacks a field")
        }
        self.init(
            thread: thread,
            position: Position(epoch: Epoch(try row.text(1)), seq: try row.int(0)),
            milliseconds: try row.int(2),
            messageCount: try row.int(3),
            body: body)
    }
}
