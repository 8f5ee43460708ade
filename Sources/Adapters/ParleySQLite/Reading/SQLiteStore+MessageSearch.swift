import GRDB
import ParleyJSON
package import ParleyModel
import ParleyStorage

extension SQLiteStore {
    /// Searches the texts, which are split into words at every character that is neither a letter nor a digit.
    package func search(
        _ words: String, of user: UserID, in thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> SearchPage {
        // Quotes each word, so that none is parsed as FTS5 syntax, such as `OR` or `*`.
        let phrases = words.split(whereSeparator: \.isWhitespace)
            .map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
        guard !phrases.isEmpty, !phrases.utf8.contains(0) else { return SearchPage(messages: [], hasMore: false) }
        let limit = min(max(limit, 1), SearchPage.maximumLimit)
        // If the file cannot be written, the search still finds messages that were indexed before.
        try? await indexTexts()
        let found = try await messages(
            ReadQueries.search, [phrases, user.text, thread?.text, limit + 1] as StatementArguments)
        return SearchPage(messages: Array(found.prefix(limit)), hasMore: found.count > limit)
    }

    package func message(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace? {
        try await read { db in
            try db.first(ReadQueries.messagePlace, [thread.text, id.text]) {
                MessagePlace(seq: $0[0], sender: UserID(trusted: $0[1]), isGone: $0[2])
            }
        }
    }

    package func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey> {
        guard !keys.isEmpty else { return [] }
        let pairs = Self.json(keys.map { .array([.text($0.thread.text), .text($0.message.text)]) })
        return try await read { db in
            let gone = try db.all(ReadQueries.goneMessages, [pairs]) {
                MessageKey(thread: ThreadID(trusted: $0[0]), message: MessageID(trusted: $0[1]))
            }
            return Set(gone)
        }
    }

    package func export(
        of user: UserID, after place: ExportPlace?, limit: Int
    ) async throws(StoreError) -> ExportPage {
        let limit = min(max(limit, 1), ExportPage.maximumLimit)
        return try await search { db in try Self.export(of: user, after: place, limit: limit, in: db) }
    }

    /// Returns the messages that a user sent, from the two indexes that cover them.
    static func export(of user: UserID, after place: ExportPlace?, limit: Int, in db: Database) throws -> ExportPage {
        var (named, others): ([LogEvent], [LogEvent]) = ([], [])
        var last = ("", Int64(0))
        switch place {
        case .message(let thread, let seq): last = (thread.text, seq)
        case .clientID, nil:
            var start = ""
            if case .clientID(let clientID) = place { start = clientID }
            named = try messages(ReadQueries.sentWithClientID, [user.text, start, limit + 1], in: db)
        }
        if named.count <= limit {
            others = try messages(
                ReadQueries.sentWithoutClientID, [user.text, last.0, last.1, limit + 1 - named.count], in: db)
        }
        return ExportPage(named: named, others: others, limit: limit)
    }

    private func messages(_ sql: String, _ arguments: StatementArguments) async throws(StoreError) -> [LogEvent] {
        try await search { db in try Self.messages(sql, arguments, in: db) }
    }

    /// Decodes messages, each followed by its thread.
    private static func messages(_ sql: String, _ arguments: StatementArguments, in db: Database) throws -> [LogEvent] {
        try db.all(sql, arguments) {
            try LogEvent(messageRow: $0, thread: ThreadID(trusted: $0[ReadQueries.messageColumns]))
        }
    }
}
