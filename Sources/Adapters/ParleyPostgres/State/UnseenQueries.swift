package import ParleyModel
import ParleyStorage

/// Statements for the messages that their recipients have not seen.
package enum UnseenQueries {
    /// Adds rows, and returns their IDs. An erasure waits for the transaction, or is waited for.
    package static let insert = Query(
        """
        INSERT INTO unseen (user_id, thread_id, epoch, seq, at_ms, unread, unread_total, is_mention, is_quiet)
        SELECT users.id, added.thread_id, added.epoch, added.seq, added.at_ms, added.unread, added.unread_total,
            added.is_mention = 1, added.is_quiet = 1
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) AS added
            (user_id, thread_id, epoch, seq, at_ms, unread, unread_total, is_mention, is_quiet)
        JOIN users ON users.id = added.user_id
        WHERE users.erased_ms IS NULL AND (users.suspended_ms IS NULL OR users.suspended_until_ms <= added.at_ms)
            AND NOT EXISTS (SELECT FROM unseen
                WHERE unseen.user_id = added.user_id AND unseen.thread_id = added.thread_id
                    AND unseen.epoch = added.epoch AND unseen.seq >= added.seq)
        ORDER BY users.id, added.thread_id, added.epoch, added.seq
        FOR KEY SHARE OF users
        ON CONFLICT DO NOTHING RETURNING user_id, thread_id, epoch, seq
        """, id)
    package static let ofUser = Statement("DELETE FROM unseen WHERE user_id = $1")

    /// Deletes the oldest rows before `$1`, at most `$2`.
    package static let prune = Query<Void>(
        """
        DELETE FROM unseen WHERE id IN (SELECT id FROM unseen WHERE at_ms < $1 ORDER BY at_ms LIMIT $2) RETURNING 1
        """)

    /// The columns of `message(_:)`, and whether the message is shown.
    private static let columns = """
        user_id, thread_id, epoch, seq, at_ms, unread, unread_total, is_mention, is_quiet,
        EXISTS (SELECT FROM messages
            WHERE messages.thread_id = unseen.thread_id AND messages.seq = unseen.seq AND messages.epoch = unseen.epoch
                AND messages.deleted_ms IS NULL AND NOT messages.is_erased)
        """

    /// The table as a lane of the stream of stored events.
    package static let lane = RowTable(.unseen, table: "unseen", columns: "\(columns), stamp") { row in
        EventBatch(.unseen, stamp: try row.int(10), try message(row).map { .unseen($0) })
    }

    package static let one = Query(
        "SELECT \(columns) FROM unseen WHERE user_id = $1 AND thread_id = $2 AND epoch = $3 AND seq = $4", message)

    private static let id: @Sendable (Row) throws -> UnseenMessage.ID = { row in
        UnseenMessage.ID(
            user: UserID(trusted: try row.text(0)), thread: try row.thread(1),
            position: Position(epoch: Epoch(try row.text(2)), seq: try row.int(3)))
    }

    /// - Returns: `nil` for the row of a message that is gone.
    private static let message: @Sendable (Row) throws -> UnseenMessage? = { row in
        guard try row.bool(9) else { return nil }
        return UnseenMessage(
            id: try id(row), milliseconds: try row.int(4), unread: try row.int(5), unreadTotal: try row.int(6),
            isMention: try row.bool(7), isQuiet: try row.bool(8))
    }
}

extension PostgresStore: UnseenLog {
    package func addUnseen(_ messages: [UnseenMessage]) async throws(StoreError) -> Set<UnseenMessage.ID> {
        guard !messages.isEmpty else { return [] }
        let (messages, ids) = (messages.prefix(PushDevice.mostUsers), messages.prefix(PushDevice.mostUsers).map(\.id))
        let call = UnseenQueries.insert(
            .texts(ids.map(\.user.text)), .texts(ids.map(\.thread.text)), .texts(ids.map(\.position.epoch.text)),
            .ints(ids.map(\.position.seq)), .ints(messages.map(\.milliseconds)), .ints(messages.map(\.unread)),
            .ints(messages.map(\.unreadTotal)), .ints(messages.map { $0.isMention ? 1 : 0 }),
            .ints(messages.map { $0.isQuiet ? 1 : 0 }))
        return Set(try await rows(.account, call))
    }

    package func unseenMessage(_ id: UnseenMessage.ID) async throws(StoreError) -> UnseenMessage? {
        let call = UnseenQueries.one(
            .text(id.user.text), .text(id.thread.text), .text(id.position.epoch.text), .int(id.position.seq))
        return try await rows(.list, call).first ?? nil
    }

    package func pruneUnseen(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        try await rows(.account, UnseenQueries.prune(.int(milliseconds), .int(Int64(max(limit, 0))))).count
    }
}
