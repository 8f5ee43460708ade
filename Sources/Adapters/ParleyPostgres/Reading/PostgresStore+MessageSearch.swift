package import ParleyModel
import ParleyStorage

extension PostgresStore {
    /// Searches the texts, which PostgreSQL's configuration `simple` splits into words.
    package func search(
        _ words: String, of user: UserID, in thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> SearchPage {
        guard !words.utf8.contains(0) else { return SearchPage(messages: [], hasMore: false) }
        let limit = min(max(limit, 1), SearchPage.maximumLimit)
        let found = try await rows(
            .search,
            SearchQueries.search(.text(words), .text(user.text), .text(thread?.text), .int(Int64(limit + 1))),
            Self.message)
        return SearchPage(messages: Array(found.prefix(limit)), hasMore: found.count > limit)
    }

    package func message(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace? {
        try await rows(.history, SearchQueries.messagePlace(.text(thread.text), .text(id.text))) { row in
            MessagePlace(seq: try row.int(0), sender: UserID(trusted: try row.text(1)), isGone: try row.bool(2))
        }.first
    }

    package func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey> {
        // The server rejects texts that contain NUL, so no row can have such a key.
        let keys = keys.filter { !$0.thread.text.utf8.contains(0) && !$0.message.text.utf8.contains(0) }
        guard !keys.isEmpty else { return [] }
        let call = SearchQueries.goneMessages(.texts(keys.map(\.thread.text)), .texts(keys.map(\.message.text)))
        return Set(
            try await rows(.history, call) { row in
                MessageKey(
                    thread: ThreadID(trusted: try row.text(0)), message: MessageID(trusted: try row.text(1)))
            })
    }

    package func export(
        of user: UserID, after place: ExportPlace?, limit: Int
    ) async throws(StoreError) -> ExportPage {
        let limit = min(max(limit, 1), ExportPage.maximumLimit)
        return try await pool.perform(.export) { connection in
            try Self.export(of: user, after: place, limit: limit, connection)
        }
    }

    /// Returns the messages that a user sent, from the two indexes that cover them.
    static func export(
        of user: UserID, after place: ExportPlace?, limit: Int, _ connection: PostgresConnection
    ) throws -> ExportPage {
        var (named, others): ([LogEvent], [LogEvent]) = ([], [])
        var last: (String?, Int64) = (nil, 0)
        switch place {
        case .message(let thread, let seq): last = (thread.text, seq)
        case .clientID, nil:
            var start: String?
            if case .clientID(let clientID) = place { start = clientID }
            let call = SearchQueries.sentWithClientID(.text(user.text), .text(start), .int(Int64(limit + 1)))
            named = try connection.run(call, message)
        }
        if named.count <= limit {
            let call = SearchQueries.sentWithoutClientID(
                .text(user.text), .text(last.0), .int(last.1), .int(Int64(limit + 1 - named.count)))
            others = try connection.run(call, message)
        }
        return ExportPage(named: named, others: others, limit: limit)
    }

    /// Decodes a message, followed by its thread.
    private static func message(_ row: Row) throws -> LogEvent {
        try LogEvent(messageRow: row, thread: ThreadID(trusted: row.text(ReadQueries.messageColumns)))
    }
}
