import GRDB
package import ParleyModel

/// The full-text index, which messages enter in batches: alone, each would cost a third of its transaction.
extension SQLiteStore {
    /// The number of texts indexed in one transaction, which bounds how long it delays other writes.
    private static let indexedAtOnce = 200

    /// Adds the texts of all messages to the full-text index that are not in it; call it every second while the store
    /// is open.
    package func indexTexts() async throws(StoreError) {
        let hasMore = { @Sendable (db: Database) throws -> Bool in
            try Bool.fetchOne(db.cachedStatement(sql: TextIndexQueries.hasMore)) == true
        }
        guard try await read(hasMore) else { return }
        while try await write({ db in try Self.indexNext(in: db) && hasMore(db) }) {}
    }

    /// - Returns: whether there was something to index.
    private static func indexNext(in db: Database) throws -> Bool {
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: TextIndexQueries.lastOfNext), arguments: [indexedAtOnce])
        guard let last else { return false }
        try db.run(TextIndexQueries.add, [last])
        try db.run(TextIndexQueries.setEnd, [last])
        return true
    }
}

/// The statements that keep the full-text index.
package enum TextIndexQueries {
    private static let end = "(SELECT rid FROM messages_text_end WHERE id = 1)"

    package static let hasMore = """
        SELECT EXISTS (SELECT 1 FROM messages WHERE rid > \(end))
        """

    package static let lastOfNext = """
        SELECT max(rid) FROM (
            SELECT rid FROM messages WHERE rid > \(end) ORDER BY rid LIMIT ?)
        """

    package static let add = """
        INSERT INTO messages_text (rowid, text)
        SELECT rid, text FROM messages WHERE rid > \(end) AND rid <= ? ORDER BY rid
        """

    package static let setEnd = "UPDATE messages_text_end SET rid = ? WHERE id = 1"
}
