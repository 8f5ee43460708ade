package import ParleyModel

/// Statements for the blocks between users, and the fragments with which other statements read them.
package enum BlockQueries {
    /// A condition that the direct thread of a row of `members` and `threads` is blocked. A scalar subquery, since the server may
    /// answer `EXISTS` for many rows by reading the whole table.
    static let isBlockedThread = """
        (threads.kind = 'direct'
            AND coalesce((SELECT true FROM blocks WHERE blocks.thread_id = members.thread_id LIMIT 1), false))
        """

    /// A condition that one of two users blocks the other.
    static func isBlocked(_ one: String, _ other: String) -> String {
        """
        coalesce((
            SELECT true FROM blocks WHERE (user_id = \(one) AND blocked_id = \(other))
                OR (user_id = \(other) AND blocked_id = \(one)) LIMIT 1), false)
        """
    }

    /// Holds the given users who are not erased, in the order of their IDs.
    static let hold = Query(
        "SELECT id FROM users WHERE id = ANY ($1) AND erased_ms IS NULL ORDER BY id FOR NO KEY UPDATE"
    ) { try $0.text(0) }
    /// Adds a block, unless user `$1` has `$5` blocks.
    package static let insert = Statement(
        """
        INSERT INTO blocks (user_id, blocked_id, thread_id, since_ms)
        SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM blocks WHERE user_id = $1) < $5
        ON CONFLICT DO NOTHING
        """)
    package static let since = Query("SELECT since_ms FROM blocks WHERE user_id = $1 AND blocked_id = $2") {
        try $0.int(0)
    }
    package static let remove = Query("DELETE FROM blocks WHERE user_id = $1 AND blocked_id = $2 RETURNING since_ms") {
        try $0.int(0)
    }

    /// Returns the blocks that a user has made.
    package static let made = Query(
        """
        SELECT users.id, users.name, blocks.since_ms FROM blocks JOIN users ON users.id = blocks.blocked_id
        WHERE blocks.user_id = $1 ORDER BY blocks.blocked_id LIMIT $2
        """
    ) { BlockRecord(user: try $0.user(0), since: try $0.int(2)) }

    /// Returns the blocks that users have made or suffered.
    package static let ofUsers = Query(
        "SELECT user_id, blocked_id FROM blocks WHERE user_id = ANY ($1) OR blocked_id = ANY ($1)"
    ) { (user: UserID(trusted: try $0.text(0)), blocked: UserID(trusted: try $0.text(1))) }

    /// Returns the blocks by users `$1` of users `$2`.
    package static let madeAgainst = Query(
        "SELECT user_id, blocked_id FROM blocks WHERE user_id = ANY ($1) AND blocked_id = ANY ($2)"
    ) { (user: UserID(trusted: try $0.text(0)), blocked: UserID(trusted: try $0.text(1))) }

    /// Returns the users among `$2` who block the user `$1`, or are blocked by them.
    package static let among = Query(
        """
        SELECT blocked_id FROM blocks WHERE user_id = $1 AND blocked_id = ANY ($2)
        UNION SELECT user_id FROM blocks WHERE blocked_id = $1 AND user_id = ANY ($2)
        """
    ) { UserID(trusted: try $0.text(0)) }

    /// Returns a row if one of two users blocks the other.
    package static let between = Query(
        """
        SELECT since_ms FROM blocks WHERE (user_id = $1 AND blocked_id = $2) OR (user_id = $2 AND blocked_id = $1) LIMIT 1
        """
    ) { try $0.int(0) }
}
