/// Statements for the blocks between users, and the fragments with which other statements read them. Each statement is prepared
/// once per connection.
package enum BlockQueries {
    /// A condition that the direct thread of a row of `members` and `threads` is blocked.
    static let isBlockedThread = """
        (threads.kind = 'direct' AND EXISTS (SELECT 1 FROM blocks WHERE blocks.thread_id = members.thread_id))
        """

    /// A condition that one of two users blocks the other.
    static func isBlocked(_ one: String, _ other: String) -> String {
        """
        EXISTS (SELECT 1 FROM blocks WHERE (user_id = \(one) AND blocked_id = \(other))
            OR (user_id = \(other) AND blocked_id = \(one)))
        """
    }

    /// Adds a block, unless user `?1` has `?5` blocks.
    package static let insert = """
        INSERT INTO blocks (user_id, blocked_id, thread_id, since_ms)
        SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM blocks WHERE user_id = ?1) < ?5
        ON CONFLICT DO NOTHING
        """
    package static let since = "SELECT since_ms FROM blocks WHERE user_id = ? AND blocked_id = ?"
    package static let remove = "DELETE FROM blocks WHERE user_id = ? AND blocked_id = ?"

    /// Returns the blocks that a user has made.
    package static let made = """
        SELECT users.id, users.name, blocks.since_ms FROM blocks JOIN users ON users.id = blocks.blocked_id
        WHERE blocks.user_id = ? ORDER BY blocks.blocked_id LIMIT ?
        """

    /// Returns the blocks that users have made or suffered. Takes the users as a JSON array.
    package static let ofUsers = """
        SELECT user_id, blocked_id FROM blocks WHERE user_id IN (SELECT value FROM json_each(?1))
            OR blocked_id IN (SELECT value FROM json_each(?1))
        """

    /// Returns the blocks by users `?1` of users `?2`, both JSON arrays.
    package static let madeAgainst = """
        SELECT user_id, blocked_id FROM blocks WHERE user_id IN (SELECT value FROM json_each(?1))
            AND blocked_id IN (SELECT value FROM json_each(?2))
        """

    /// Returns a row if one of two users blocks the other.
    package static let between = """
        SELECT 1 FROM blocks WHERE (user_id = ?1 AND blocked_id = ?2) OR (user_id = ?2 AND blocked_id = ?1) LIMIT 1
        """
}
