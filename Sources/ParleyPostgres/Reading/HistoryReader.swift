import ParleyModel
import ParleyStorage

/// Reads a page of history or of the log as runs along the primary keys, from one snapshot.
struct HistoryReader {
    let connection: PostgresConnection
    let thread: ThreadID

    func page(_ query: HistoryQuery) throws -> HistoryPage {
        let begin = HistoryQueries.begin()
        guard case .at(let milliseconds) = query.place else {
            let calls = HistoryRun.runs(of: query, seqOfDate: nil).map(call)
            let replies = try connection.run([begin] + calls + [head, Statement.commit()])
            return try page(query, replies[1..<(replies.count - 2)], head: replies[replies.count - 2])
        }
        let found = try connection.run([begin, DateQueries.lastSeqUpTo(id, .int(milliseconds))])
        let last = try found[1].first?.int(0)
        let calls = HistoryRun.runs(of: query, seqOfDate: last).map(call)
        let replies = try connection.run(calls + [head, Statement.commit()])
        return try page(query, replies[..<calls.count], head: replies[calls.count])
    }

    func log(after seq: Int64, limit: Int) throws -> LogPage {
        let limit = LogPage.limit(limit)
        let others = HistoryQueries.oldestEvents(id, .int(seq), .int(Int64(limit + 1)))
        let replies = try connection.run([
            HistoryQueries.begin(), HistoryQueries.oldestMessages(id, .int(seq), .int(Int64(limit + 1))), others,
            head, Statement.commit(),
        ])
        return LogPage(
            merging: try replies[1].map { try event($0) },
            try replies[2].map { try LogEvent(eventRow: $0, thread: thread) },
            limit: limit, head: try ThreadHead(replies[3]))
    }

    private func page(_ query: HistoryQuery, _ runs: ArraySlice<Rows>, head: Rows) throws -> HistoryPage {
        let messages = try runs.flatMap { rows in try rows.map { try event($0) } }
        return HistoryPage(
            counting: messages.sorted { $0.position.seq < $1.position.seq }, at: query.place,
            head: try ThreadHead(head))
    }

    /// A message, followed by the columns of its reactions.
    private func event(_ row: Row) throws -> LogEvent {
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

    private var head: Call { ReadQueries.head(id) }

    private func call(_ run: HistoryRun) -> Call {
        switch run {
        case .below(let seq, let limit): HistoryQueries.newestMessages(id, .int(seq), .int(Int64(limit)))
        case .above(let seq, let limit): HistoryQueries.oldestMessages(id, .int(seq), .int(Int64(limit)))
        }
    }
}

extension ThreadHead {
    /// Decodes the result of `ReadQueries.head`; `nil` for a thread without events.
    fileprivate init?(_ rows: Rows) throws(PostgresError) {
        guard let row = rows.first else { return nil }
        self.init(
            position: Position(epoch: Epoch(try row.text(0)), seq: try row.int(1)), milliseconds: try row.int(2),
            messageCount: try row.int(3))
    }
}

extension LogEvent {
    /// Decodes a stored event that is not a message, from the columns of `HistoryQueries.oldestEvents`.
    /// - Throws: `StoreError.failed` for a kind that is unknown to this version, and for a missing field.
    fileprivate init(eventRow row: Row, thread: ThreadID) throws {
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
