import ParleyModel

/// Statements for the audit log. Each statement is prepared once per connection.
package enum AuditQueries {
    package static let insert = """
        INSERT INTO audit (at_ms, actor_kind, actor_id, action, thread_id, user_id, reason, before_json, after_json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Adds the row of an erasure before it is made, unless the user was erased before.
    package static let erasure = """
        INSERT INTO audit (at_ms, actor_kind, actor_id, action, user_id)
        SELECT ?2, ?3, ?4, 'erased', id FROM users WHERE id = ?1 AND erased_ms IS NULL
        """
    package static let forgetReasons = "UPDATE audit SET reason = NULL WHERE user_id = ? AND reason IS NOT NULL"

    /// Adds the row of a deletion by a user who is not the author, before the message is changed.
    package static let deletion = """
        INSERT INTO audit (at_ms, actor_kind, actor_id, action, thread_id, user_id, before_json)
        SELECT ?1, 'user', ?4, 'message_deleted', thread_id, sender_id, '{"message_id":"' || id || '"}'
        FROM messages WHERE thread_id = ?2 AND seq = ?3 AND sender_id <> ?4 AND deleted_ms IS NULL
        """

    /// Deletes the oldest rows before `?1`, at most `?2`.
    package static let prune = """
        DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at_ms < ?1 ORDER BY at_ms LIMIT ?2)
        """

    // MARK: Pages

    package static let ofThread = page("thread_id = ?2")
    package static let ofUser = page("user_id = ?3")
    package static let ofActor = page("actor_id = ?4")
    package static let all = page("true")

    /// The columns of `AuditEntry.init(row:)`.
    private static let columns = """
        id, at_ms, action, actor_kind, actor_id, thread_id, user_id, reason, before_json, after_json
        """

    // MARK: The stream of stored events

    /// Returns the rows above the stamp `?1`, at most `?2`, with their stamps.
    package static let unread = """
        SELECT \(columns), stamp FROM audit WHERE stamp > ?1 ORDER BY stamp LIMIT ?2
        """
    // MARK: Conditions

    /// Returns rows before `?1`, newest first, that satisfy `base` and all parameters that are not `NULL`. An index serves
    /// `base`.
    private static func page(_ base: String) -> String {
        """
        SELECT \(columns)
        FROM audit
        WHERE \(base) AND id < ?1
            AND (?2 IS NULL OR thread_id = ?2) AND (?3 IS NULL OR user_id = ?3)
            AND (?4 IS NULL OR (actor_id = ?4 AND actor_kind IN ('user', 'operator')))
            AND (?5 IS NULL OR action = ?5) AND (?6 IS NULL OR at_ms >= ?6) AND (?7 IS NULL OR at_ms < ?7)
        ORDER BY id DESC LIMIT ?8
        """
    }

    /// Returns the statement that an index serves best.
    static func page(of filter: AuditFilter) -> String {
        if filter.thread != nil { return ofThread }
        if filter.user != nil { return ofUser }
        return filter.actor != nil ? ofActor : all
    }
}
