import ParleyModel

/// Statements for sanctions, and the fragments with which other statements read them. Each statement is prepared once per
/// connection.
package enum SanctionQueries {
    /// The columns of a mute that `joinMute` has joined. `Row.optionalSanction` reads them.
    static let muteColumns = "mute.kind, mute.until_ms, mute.reason"
    /// The same, followed by the start of the log for the member, the options of the room, and whether the direct thread is
    /// blocked. `Row.limits` reads them.
    static let memberColumns = """
        \(muteColumns), members.visible_from, threads.options, \(BlockQueries.isBlockedThread)
        """
    /// Joins the mute of a row of `members`.
    static let joinMute = """
        LEFT JOIN sanctions AS mute
            ON mute.thread_id = members.thread_id AND mute.user_id = members.user_id AND mute.kind = 'mute'
        """

    /// A condition that a user is banned from the thread of a row of `threads` at a time.
    static func isBanned(_ user: String, at now: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM sanctions WHERE sanctions.thread_id = threads.id AND sanctions.user_id = \(user)
                AND sanctions.kind = 'ban' AND (sanctions.until_ms IS NULL OR sanctions.until_ms > \(now)))
        """
    }

    /// Returns the sanctions of a user in a thread.
    package static let ofUser = "SELECT kind, until_ms, reason FROM sanctions WHERE thread_id = ? AND user_id = ?"
    package static let put = """
        INSERT INTO sanctions (thread_id, user_id, kind, until_ms, reason, author_id, since_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (thread_id, user_id, kind) DO UPDATE SET until_ms = excluded.until_ms, reason = excluded.reason,
            author_id = excluded.author_id, since_ms = excluded.since_ms
        """
    package static let end = "DELETE FROM sanctions WHERE thread_id = ? AND user_id = ? AND kind = ?"

    /// Returns a page of the sanctions in force at `?2`. The page begins after user `?3` and kind `?4`; empty texts select the
    /// first page.
    package static let page = """
        SELECT sanctions.kind, sanctions.until_ms, sanctions.reason, users.id, users.name, sanctions.author_id,
            sanctions.since_ms
        FROM sanctions JOIN users ON users.id = sanctions.user_id
        WHERE sanctions.thread_id = ?1 AND (sanctions.until_ms IS NULL OR sanctions.until_ms > ?2)
            AND (sanctions.user_id, sanctions.kind) > (?3, ?4)
        ORDER BY sanctions.user_id, sanctions.kind LIMIT ?5
        """
}
