/// Statements for suspensions, which are columns of `users`, and the fragment with which other statements read them. Each
/// statement is prepared once per connection.
package enum SuspensionQueries {
    /// The columns that `Row.optionalSuspension` reads.
    static let columns = "users.suspended_ms, users.suspended_until_ms, users.suspension_reason"

    package static let ofUser = "SELECT \(columns) FROM users WHERE id = ? AND erased_ms IS NULL"
    package static let put = """
        UPDATE users SET suspended_ms = ?2, suspended_until_ms = ?3, suspension_reason = ?4, suspended_by = ?5
        WHERE id = ?1
        """
    package static let end = """
        UPDATE users SET suspended_ms = NULL, suspended_until_ms = NULL, suspension_reason = NULL, suspended_by = NULL
        WHERE id = ?
        """

    /// Returns a page of the suspensions in force at `?1`, after user `?2`; the empty text selects the first page. Without the
    /// hint, SQLite would read all users.
    package static let page = """
        SELECT id, name, suspended_until_ms, suspension_reason, suspended_by, suspended_ms
        FROM users INDEXED BY users_suspended
        WHERE suspended_ms IS NOT NULL AND (suspended_until_ms IS NULL OR suspended_until_ms > ?1) AND id > ?2
        ORDER BY id LIMIT ?3
        """
}
