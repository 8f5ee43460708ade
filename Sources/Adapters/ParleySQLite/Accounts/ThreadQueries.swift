/// Statements for `ThreadAdministration`.
package enum ThreadQueries {
    // MARK: Threads

    package static let countUsers = "SELECT count(*) FROM users WHERE id IN (?, ?) AND erased_ms IS NULL"

    package static let insertDirectThread = """
        INSERT INTO threads (id, kind, first_user_id, second_user_id, created_ms)
        VALUES (?, 'direct', ?, ?, ?) ON CONFLICT DO NOTHING
        """

    /// Places the new member's read cursor at the head of the thread.
    package static let insertMember = """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
        SELECT id, ?2, 'member', head_seq, head_n, ?3 FROM threads WHERE id = ?1
        ON CONFLICT DO NOTHING
        """

    package static let joinableRooms = """
        SELECT id, kind, title, visibility FROM threads
        WHERE title >= ?1 AND title < ?1 || char(1114111) AND visibility = 'public'
            AND NOT EXISTS (SELECT 1 FROM members WHERE members.thread_id = threads.id AND members.user_id = ?2)
            AND NOT EXISTS (
                SELECT 1 FROM restrictions WHERE restrictions.thread_id = threads.id
                    AND restrictions.user_id = ?2 AND restrictions.kind = 'removed')
            AND NOT \(SanctionQueries.isBanned("?2", at: "?4"))
        ORDER BY title LIMIT ?3
        """

    // MARK: Deletion of a thread

    package static let deleteMessages = "DELETE FROM messages WHERE thread_id = ?"
    package static let deleteEvents = "DELETE FROM events WHERE thread_id = ?"
    package static let deleteReactions = "DELETE FROM reactions WHERE thread_id = ?"
    /// Deletes a thread and its memberships.
    package static let deleteThread = "DELETE FROM threads WHERE id = ?"

    // MARK: Members

    /// Returns a page of members. The page begins after the user in the second value; an empty text selects the first
    /// page.
    package static let members = """
        SELECT users.id, users.name, members.role, users.display_name, users.avatar_url, members.read_seq,
            members.read_ms
        FROM members JOIN users ON users.id = members.user_id
        WHERE members.thread_id = ? AND members.user_id > ? ORDER BY members.user_id LIMIT ?
        """

    // MARK: Users

    package static let profiles = """
        SELECT id, display_name, avatar_url FROM users
        WHERE id IN (SELECT value FROM json_each(?)) AND erased_ms IS NULL
            AND (display_name IS NOT NULL OR avatar_url IS NOT NULL)
        """
    package static let setProfile = """
        UPDATE users SET display_name = ?, avatar_url = ? WHERE id = ? AND erased_ms IS NULL
        """
    package static let avatar = "SELECT avatar_url FROM users WHERE id = ?"
    package static let revokeSessions =
        "DELETE FROM sessions WHERE user_id = ? AND token_hash <> ? RETURNING token_hash"
}
