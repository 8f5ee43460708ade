import GRDB
package import ParleyModel
import ParleyStorage

/// Statements for the messages that their recipients have not seen.
package enum UnseenQueries {
    /// Adds a row at the time `?5`, unless user `?1` has one of the same or a later message, or is unknown, erased or suspended.
    package static let insert = """
        INSERT OR IGNORE INTO unseen
            (user_id, thread_id, epoch, seq, at_ms, unread, unread_total, is_mention, is_quiet)
        SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM users
        WHERE id = ?1 AND erased_ms IS NULL AND (suspended_ms IS NULL OR suspended_until_ms <= ?5)
            AND NOT EXISTS (SELECT 1 FROM unseen WHERE user_id = ?1 AND thread_id = ?2 AND epoch = ?3 AND seq >= ?4)
        """
    package static let ofUser = "DELETE FROM unseen WHERE user_id = ?"

    /// Deletes the oldest rows before `?1`, at most `?2`.
    package static let prune = """
        DELETE FROM unseen WHERE id IN (SELECT id FROM unseen WHERE at_ms < ?1 ORDER BY at_ms LIMIT ?2)
        """

    /// The columns of `UnseenMessage.init(row:)`, and whether the message is shown.
    private static let columns = """
        user_id, thread_id, epoch, seq, at_ms, unread, unread_total, is_mention, is_quiet,
        EXISTS (SELECT 1 FROM messages
            WHERE messages.thread_id = unseen.thread_id AND messages.seq = unseen.seq AND messages.epoch = unseen.epoch
                AND messages.deleted_ms IS NULL AND NOT messages.is_erased)
        """

    /// Returns the rows above the stamp `?1`, at most `?2`, with their stamps.
    package static let unread = """
        SELECT \(columns), stamp FROM unseen WHERE stamp > ?1 ORDER BY stamp LIMIT ?2
        """
    package static let one = """
        SELECT \(columns) FROM unseen WHERE user_id = ? AND thread_id = ? AND epoch = ? AND seq = ?
        """
}

extension SQLiteStore: UnseenLog {
    package func addUnseen(_ messages: [UnseenMessage]) async throws(StoreError) -> Set<UnseenMessage.ID> {
        guard !messages.isEmpty else { return [] }
        return try await write { db in
            var added: Set<UnseenMessage.ID> = []
            for message in messages.prefix(PushDevice.mostUsers) {
                let (id, place) = (message.id, message.id.position)
                try db.run(
                    UnseenQueries.insert,
                    [
                        id.user.text, id.thread.text, place.epoch.text, place.seq, message.milliseconds, message.unread,
                        message.unreadTotal, message.isMention, message.isQuiet,
                    ])
                if db.changesCount > 0 { added.insert(id) }
            }
            return added
        }
    }

    package func unseenMessage(_ id: UnseenMessage.ID) async throws(StoreError) -> UnseenMessage? {
        let place: StatementArguments = [id.user.text, id.thread.text, id.position.epoch.text, id.position.seq]
        return try await read { db in try db.first(UnseenQueries.one, place) { UnseenMessage(shown: $0) } ?? nil }
    }

    package func pruneUnseen(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        try await write { db in
            try db.run(UnseenQueries.prune, [milliseconds, max(limit, 0)])
            return db.changesCount
        }
    }
}

extension UnseenMessage {
    /// - Returns: `nil` for the row of a message that is gone.
    init?(shown row: Row) {
        guard row[9] else { return nil }
        self.init(
            id: ID(
                user: UserID(trusted: row[0]), thread: ThreadID(trusted: row[1]),
                position: Position(epoch: Epoch(row[2]), seq: row[3])),
            milliseconds: row[4], unread: row[5], unreadTotal: row[6], isMention: row[7], isQuiet: row[8])
    }
}
