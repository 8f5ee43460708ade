import GRDB
package import ParleyModel

/// The full-text index. Messages are added to it in batches, since adding one at a time would take a third of each
/// message's transaction.
extension SQLiteStore {
    /// The number of texts that one transaction indexes. It limits the time for which the transaction delays other
    /// writes.
    private static let indexedAtOnce = 200

    /// Adds the messages that are missing from the full-text index. Call it every second while the store is open.
    package func indexTexts() async throws(StoreError) {
        let hasMore = { @Sendable (db: Database) throws -> Bool in
            try Bool.fetchOne(db.cachedStatement(sql: TextIndexQueries.hasMore)) == true
        }
        guard try await read(hasMore) else { return }
        while try await write({ db in try Self.indexNext(in: db) && hasMore(db) }) {}
    }

    /// - Returns: whether any text was added.
    private static func indexNext(in db: Database) throws -> Bool {
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: TextIndexQueries.lastOfNext), arguments: [indexedAtOnce])
        guard let last else { return false }
        try db.run(TextIndexQueries.add, [last])
        try db.run(TextIndexQueries.setEnd, [last])
        return true
    }
}

/// Statements that maintain the full-text index.
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
