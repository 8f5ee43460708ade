package import ParleyModel

/// Statements for `ThreadAdministration`.
package enum ThreadQueries {
    // MARK: Threads

    /// Locks the users, so that none of them is erased before the transaction ends.
    package static let users = Query(
        "SELECT id FROM users WHERE id = ANY ($1) AND erased_ms IS NULL ORDER BY id FOR KEY SHARE"
    ) { try $0.text(0) }

    static let insertDirectThread = Query(
        """
        INSERT INTO threads (id, kind, first_user_id, second_user_id, created_ms)
        VALUES ($1, 'direct', $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 0::bigint
        """)

    package static let joinableRooms = Statement(
        """
        SELECT id, kind, title, visibility FROM threads
        WHERE title >= $1 AND title < $1 || chr(1114111) AND visibility = 'public'
            AND NOT EXISTS (SELECT 1 FROM members WHERE members.thread_id = threads.id AND members.user_id = $2)
            AND NOT EXISTS (
                SELECT 1 FROM restrictions WHERE restrictions.thread_id = threads.id
                    AND restrictions.user_id = $2 AND restrictions.kind = 'removed')
            AND NOT \(SanctionQueries.isBanned("$2", at: "$4"))
        ORDER BY title LIMIT $3
        """)

    // MARK: Deletion of a thread

    /// Deletes the oldest messages up to a limit, and returns the number of deleted messages.
    package static let deleteOldest = Query(
        """
        WITH gone AS (
            DELETE FROM messages WHERE thread_id = $1 AND seq = ANY (ARRAY(
                SELECT seq FROM messages WHERE thread_id = $1 ORDER BY seq LIMIT $2))
            RETURNING 1)
        SELECT count(*) FROM gone
        """
    ) { try $0.int(0) }

    package static let deleteEvents = Query(
        """
        WITH gone AS (
            DELETE FROM events WHERE thread_id = $1 AND seq = ANY (ARRAY(
                SELECT seq FROM events WHERE thread_id = $1 ORDER BY seq LIMIT $2))
            RETURNING 1)
        SELECT count(*) FROM gone
        """
    ) { try $0.int(0) }

    package static let deleteReactions = Query(
        """
        WITH gone AS (
            DELETE FROM reactions WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM reactions WHERE thread_id = $1 LIMIT $2))
            RETURNING 1)
        SELECT count(*) FROM gone
        """
    ) { try $0.int(0) }

    /// The statements that delete the rows of a thread; each works like `deleteOldest`.
    static let deleteRows = [deleteOldest, deleteEvents, deleteReactions]
    /// Deletes a thread and its memberships.
    static let deleteThread = Statement("DELETE FROM threads WHERE id = $1")

    // MARK: Members

    /// Returns a page of members. The page begins after user `$2`; an empty text selects the first page.
    package static let members = Statement(
        """
        SELECT users.id, users.name, members.role, users.display_name, users.avatar_url, members.read_seq,
            members.read_ms
        FROM members JOIN users ON users.id = members.user_id
        WHERE members.thread_id = $1 AND members.user_id > $2 ORDER BY members.user_id LIMIT $3
        """)

    // MARK: Users

    package static let profiles = Statement(
        """
        SELECT id, display_name, avatar_url FROM users
        WHERE id = ANY ($1) AND erased_ms IS NULL AND (display_name IS NOT NULL OR avatar_url IS NOT NULL)
        """)

    package static let revokeSessions = Query(
        "DELETE FROM sessions WHERE user_id = $1 AND token_hash <> $2 RETURNING token_hash"
    ) { TokenHash(try $0.text(0)) }
}
