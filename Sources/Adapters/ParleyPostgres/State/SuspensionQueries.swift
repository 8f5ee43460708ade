package import ParleyModel

/// Statements for suspensions, which are columns of `users`, and the fragment with which other statements read them.
package enum SuspensionQueries {
    /// The columns that `Row.optionalSuspension` reads.
    static let columns = "users.suspended_ms, users.suspended_until_ms, users.suspension_reason"

    /// Holds a user, and returns the present suspension.
    static let hold = Query("SELECT \(columns) FROM users WHERE id = $1 AND erased_ms IS NULL FOR NO KEY UPDATE") {
        row in try row.optionalSuspension(0)
    }
    static let put = Statement(
        """
        UPDATE users SET suspended_ms = $2, suspended_until_ms = $3, suspension_reason = $4, suspended_by = $5
        WHERE id = $1
        """)
    static let end = Statement(
        """
        UPDATE users SET suspended_ms = NULL, suspended_until_ms = NULL, suspension_reason = NULL, suspended_by = NULL
        WHERE id = $1
        """)

    /// Returns a page of the suspensions in force at `$1`, after user `$2`; the empty text selects the first page.
    package static let page = Query(
        """
        SELECT id, name, suspended_until_ms, suspension_reason, suspended_by, suspended_ms FROM users
        WHERE suspended_ms IS NOT NULL AND (suspended_until_ms IS NULL OR suspended_until_ms > $1) AND id > $2
        ORDER BY id LIMIT $3
        """
    ) { row in
        SuspensionRecord(
            user: try row.user(0),
            suspension: Suspension(until: try row.optionalInt(2), reason: try row.optionalText(3)),
            author: try row.optionalText(4).map { UserID(trusted: $0) }, since: try row.int(5))
    }
}
