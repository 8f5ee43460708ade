import ParleyModel

/// Statements for `AccountAdministration`.
package enum AdministrationQueries {
    // MARK: Import

    /// The row that was inserted for a record.
    enum Inserted: Sendable {
        /// A membership with the position of its read cursor.
        case member(Membership.Role, readSeq: Int64, start: HistoryStart?)
        case other
    }

    /// Serialises imports. Two imports that contain the same users in a different order could otherwise deadlock.
    static let lock = Statement("SELECT pg_advisory_xact_lock(hashtext('parley import ' || current_schema()), 0)")

    /// `Locks.cursorsOfThread` for many threads, in a fixed order to avoid deadlocks.
    static let cursorsOfThreads = Statement(
        """
        SELECT pg_advisory_xact_lock_shared(hashtext('parley cursors ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(id) & 255 AS hash FROM unnest($1) AS id ORDER BY hash) AS hashes
        """)

    static let insertUser = Query(
        """
        INSERT INTO users (id, name, password_hash, origin, created_ms, look, second_look)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 0::bigint
        """
    ) { _ in Inserted.other }

    static let insertRoom = Query(
        """
        INSERT INTO threads (id, kind, title, visibility, history, created_ms) VALUES ($1, 'room', $2, $4, $5, $3)
        ON CONFLICT DO NOTHING RETURNING 0::bigint
        """
    ) { _ in Inserted.other }

    /// Selects the user by id, or by name if no user has the id; either may be `NULL`. Places the new member's read
    /// cursor at the head of the thread. `$3` is the role; `NULL` selects the role that the user's restrictions imply.
    /// Inserts nothing if the restrictions forbid the role, or if the user is banned. No `joined` event follows, so a log that
    /// does not show everything begins after what is stored.
    static let insertMember = Query(
        """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms, visible_from)
        SELECT threads.id, someone.id,
            coalesce($3, CASE WHEN EXISTS (
                SELECT 1 FROM restrictions WHERE restrictions.thread_id = threads.id
                    AND restrictions.user_id = someone.id AND restrictions.kind = 'read_only')
                THEN 'read_only' ELSE 'member' END),
            threads.head_seq, threads.head_n, $4,
            CASE threads.history WHEN 'all' THEN 0 ELSE threads.head_seq + 1 END
        FROM threads, (
            SELECT id FROM users WHERE id = $2 AND erased_ms IS NULL
            UNION ALL
            SELECT id FROM users WHERE name = $5 AND erased_ms IS NULL AND NOT EXISTS (SELECT 1 FROM users WHERE id = $2)
        ) AS someone
        WHERE threads.id = $1 AND threads.kind = 'room' AND NOT EXISTS (
            SELECT 1 FROM restrictions WHERE restrictions.thread_id = threads.id
                AND restrictions.user_id = someone.id
                AND (restrictions.kind = 'removed' OR coalesce($3, 'read_only') <> 'read_only'))
            AND NOT \(SanctionQueries.isBanned("someone.id", at: "$4"))
        ON CONFLICT DO NOTHING RETURNING read_seq, role, visible_from
        """
    ) { row in Inserted.member(try row.role(1), readSeq: try row.int(0), start: try row.historyStart(2)) }

    /// Returns the restrictions of the given users in the corresponding threads.
    package static let restrictions = Statement(
        """
        SELECT restrictions.thread_id, restrictions.user_id, restrictions.kind
        FROM unnest($1, $2) AS wanted (thread_id, user_id)
        JOIN restrictions ON restrictions.thread_id = wanted.thread_id AND restrictions.user_id = wanted.user_id
        """)

    /// Returns the bans of the given users in the corresponding threads that are in force at `$3`.
    package static let bans = Statement(
        """
        SELECT sanctions.thread_id, sanctions.user_id
        FROM unnest($1, $2) AS wanted (thread_id, user_id)
        JOIN sanctions ON sanctions.thread_id = wanted.thread_id AND sanctions.user_id = wanted.user_id
        WHERE sanctions.kind = 'ban' AND (sanctions.until_ms IS NULL OR sanctions.until_ms > $3)
        """)

    package static let roles = Statement(
        """
        SELECT members.thread_id, members.user_id, members.role
        FROM unnest($1, $2) AS wanted (thread_id, user_id)
        JOIN members ON members.thread_id = wanted.thread_id AND members.user_id = wanted.user_id
        """)

    // MARK: Lists

    /// The texts with a prefix sort between the prefix and the prefix followed by the last Unicode scalar.
    package static let usersByPrefix = Statement(
        """
        SELECT id, name FROM users WHERE name >= $1 AND name < $1 || chr(1114111) AND erased_ms IS NULL
        ORDER BY name LIMIT $2
        """)
    package static let roomsByPrefix = Statement(
        """
        SELECT id, kind, title, visibility FROM threads WHERE title >= $1 AND title < $1 || chr(1114111)
        ORDER BY title, id LIMIT $2
        """)

    // MARK: Operators

    package static let operatorStatus = Statement(
        "SELECT operator_ms IS NOT NULL, origin FROM users WHERE id = $1 AND erased_ms IS NULL")
    package static let operators = Statement(
        """
        SELECT id, name FROM users WHERE operator_ms IS NOT NULL AND erased_ms IS NULL ORDER BY name LIMIT $1
        """)

    // MARK: API keys

    static let insertAPIKey = Statement("INSERT INTO api_keys (hash, name, created_ms) VALUES ($1, $2, $3)")
    static let apiKeysByName = Statement("SELECT hash, name, created_ms FROM api_keys ORDER BY name LIMIT $1")
    package static let apiKeys = Statement("SELECT hash, name, created_ms FROM api_keys WHERE hash = ANY ($1)")
    static let deleteAPIKey = Query("DELETE FROM api_keys WHERE name = $1 RETURNING 0::bigint")
}
