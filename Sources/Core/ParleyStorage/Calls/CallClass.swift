/// The purpose of a store's call. It decides how many of the store's connections such calls may use at once; see
/// `CallShares`.
package enum CallClass: Int, CaseIterable, Hashable, Sendable {
    /// Storing what the log has accepted.
    case storing
    /// Calls that others wait for: logins, handshakes, rights, changes of state, and the look-ups of sends.
    case serving
    /// Pages and lists. Each reads a bounded number of rows.
    case reading
    /// Calls that may read very many rows: searches, exports, and lists of all threads of a user.
    case searching
}
