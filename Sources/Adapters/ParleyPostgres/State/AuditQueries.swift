package import ParleyModel
import ParleyStorage

/// Statements for the audit log.
package enum AuditQueries {
    static let insert = Statement(
        """
        INSERT INTO audit (at_ms, actor_kind, actor_id, action, thread_id, user_id, reason, before_json, after_json)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)

    /// Adds the row of an erasure before it is made, unless the user was erased before, and removes the reasons of the rows
    /// about the user.
    static let erasure = Statement(
        """
        INSERT INTO audit (at_ms, actor_kind, actor_id, action, user_id)
        SELECT $2, $3, $4, 'erased', id FROM users WHERE id = $1 AND erased_ms IS NULL
        """)
    package static let forgetReasons = Statement(
        "UPDATE audit SET reason = NULL WHERE user_id = $1 AND reason IS NOT NULL")

    /// Adds a row for each deleted message whose author is not the user who deletes it, before the messages are changed.
    package static let deletions = Statement(
        """
        INSERT INTO audit (at_ms, actor_kind, actor_id, action, thread_id, user_id, before_json)
        SELECT new.at_ms, 'user', new.user_id, 'message_deleted', messages.thread_id, messages.sender_id,
            '{"message_id":"' || messages.id || '"}'
        FROM unnest($1, $2, $3, $4) AS new (thread_id, seq, at_ms, user_id)
        JOIN messages ON messages.thread_id = new.thread_id AND messages.seq = new.seq
        WHERE messages.sender_id <> new.user_id AND messages.deleted_ms IS NULL
        """)

    /// Deletes the oldest rows before `$1`, at most `$2`.
    package static let prune = Query(
        """
        DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)
        RETURNING 0::bigint
        """)

    // MARK: The stream of stored events

    /// The columns of `entry(_:)`.
    private static let columns = """
        id, at_ms, action, actor_kind, actor_id, thread_id, user_id, reason, before_json, after_json
        """

    /// The table as a lane of the stream of stored events.
    package static let lane = RowTable(.audit, table: "audit", columns: "\(columns), stamp") { row in
        EventBatch(.audit, stamp: try row.int(10), .audit(try entry(row)))
    }

    // MARK: Pages

    package static let ofThread = page("thread_id = $2")
    package static let ofUser = page("user_id = $3")
    package static let ofActor = page("actor_id = $4")
    package static let all = page("true")

    /// Returns rows before `$1`, newest first, that satisfy `base` and all parameters that are not `NULL`. An index serves
    /// `base`.
    private static func page(_ base: String) -> Query<AuditEntry> {
        Query(
            """
            SELECT \(columns)
            FROM audit
            WHERE \(base) AND id < $1
                AND ($2::text IS NULL OR thread_id = $2) AND ($3::text IS NULL OR user_id = $3)
                AND ($4::text IS NULL OR (actor_id = $4 AND actor_kind IN ('user', 'operator')))
                AND ($5::text IS NULL OR action = $5)
                AND ($6::bigint IS NULL OR at_ms >= $6) AND ($7::bigint IS NULL OR at_ms < $7)
            ORDER BY id DESC LIMIT $8
            """
        ) { try entry($0) }
    }

    private static func entry(_ row: Row) throws -> AuditEntry {
        AuditEntry(
            id: try row.int(0), milliseconds: try row.int(1),
            note: try AuditNote(
                storedAction: row.text(2), actorKind: row.text(3), actorID: row.optionalText(4),
                thread: row.optionalText(5), user: row.optionalText(6), reason: row.optionalText(7),
                before: row.optionalText(8), after: row.optionalText(9)))
    }

    /// Returns the statement that an index serves best.
    package static func page(_ filter: AuditFilter, before id: Int64?, limit: Int) -> TypedCall<AuditEntry> {
        let query =
            if filter.thread != nil { ofThread } else if filter.user != nil {
                ofUser
            } else if filter.actor != nil { ofActor } else { all }
        return query(
            .int(id ?? .max), .text(filter.thread?.text), .text(filter.user?.text), .text(filter.actor?.text),
            .text(filter.action?.rawValue), .int(filter.from), .int(filter.to), .int(Int64(max(limit, 0))))
    }

    /// Returns the call that adds a row.
    static func insertion(of note: AuditNote, at milliseconds: Int64) -> Call {
        let (actor, states) = (note.actor.stored, note.storedStates)
        return insert(
            .int(milliseconds), .text(actor.kind), .text(actor.id), .text(note.action.rawValue),
            .text(note.thread?.text), .text(note.user?.text), .text(note.reason), .text(states.before),
            .text(states.after))
    }
}
