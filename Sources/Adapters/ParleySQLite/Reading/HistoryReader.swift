import GRDB
import ParleyModel
import ParleyStorage

/// Reads a page of the history or of the log in runs along the primary keys.
struct HistoryReader {
    let db: Database
    let thread: ThreadID

    func page(_ query: HistoryQuery) throws -> HistoryPage {
        HistoryPage(counting: try withReactions(messages(query)), at: query.place, head: try head())
    }

    /// Returns messages in ascending order.
    private func messages(_ query: HistoryQuery) throws -> [LogEvent] {
        var last: Int64?
        if case .at(let milliseconds) = query.place {
            last = try Int64.fetchOne(
                db.cachedStatement(sql: ReadQueries.lastSeqUpTo), arguments: [thread.text, milliseconds])
        }
        return try HistoryRun.runs(of: query, seqOfDate: last).flatMap(messages)
    }

    private func messages(_ run: HistoryRun) throws -> [LogEvent] {
        switch run {
        case .below(let seq, let limit):
            try self.run(ReadQueries.newestMessages, from: 0, to: seq, limit).reversed()
        case .above(let seq, let limit): try self.run(ReadQueries.oldestMessages, from: seq, to: .max, limit)
        }
    }

    func log(after seq: Int64, limit: Int) throws -> LogPage {
        let limit = LogPage.limit(limit)
        let others = try db.all(ReadQueries.oldestEvents, [thread.text, seq, limit + 1]) {
            try LogEvent(eventRow: $0, thread: thread)
        }
        let messages = try withReactions(self.messages(.above(seq, limit: limit + 1)))
        return LogPage(merging: messages, others, limit: limit, head: try head())
    }

    /// Adds the reactions to messages.
    /// - Parameter messages: the messages in ascending order.
    private func withReactions(_ messages: [LogEvent]) throws -> [LogEvent] {
        guard let first = messages.first, let last = messages.last else { return [] }
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: ReadQueries.reactions),
            arguments: [thread.text, first.position.seq, last.position.seq])
        var tallies: [Int64: ReactionCounter] = [:]
        while let row = try rows.next() {
            tallies[row[0], default: ReactionCounter()].add(emoji: row[1], user: UserID(trusted: row[2]))
        }
        guard !tallies.isEmpty else { return messages }
        return messages.map { event in
            let isErased = event.message?.isErased ?? false
            return event.with(reactions: isErased ? [] : tallies[event.position.seq]?.counts ?? [])
        }
    }

    func head() throws -> ThreadHead? {
        try db.first(ReadQueries.head, [thread.text]) { row in
            ThreadHead(
                position: Position(epoch: Epoch(row[0]), seq: row[1]), milliseconds: row[2], messageCount: row[3])
        }
    }

    private func run(_ sql: String, from low: Int64, to high: Int64, _ limit: Int) throws -> [LogEvent] {
        return try db.all(sql, [thread.text, low, high, limit]) { try LogEvent(messageRow: $0, thread: thread) }
    }
}
