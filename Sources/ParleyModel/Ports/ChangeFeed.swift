/// Tells nodes what has changed, so that each finds out by itself what it was not told.
///
/// Every user has a version, which each change of their sessions, memberships, roles, password, operator rights or
/// account raises in the transaction of the change, whoever makes it (triggers do it, so that nodes of an older version count too). API keys
/// have one too.
package protocol ChangeFeed: Sendable {
    /// What was committed since `mark`; a transaction that had begun before the mark and committed after it is in the
    /// answer. The same change may be told twice, and is never left out.
    /// - Parameters:
    ///   - mark: of the last answer; `nil`: begins here, with no changes.
    ///   - limit: the most subjects of an answer, at least 1.
    func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage

    /// How each user stands, read at one instant. A user without an entry is unknown or erased.
    func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot]
}

/// A place in a change feed; means something to the store that gave it.
package struct ChangeMark: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

package struct ChangePage: Hashable, Sendable {
    /// Whose versions were raised.
    package var users: [UserID]
    /// API keys of the database that were deleted, or made.
    package var apiKeys: [TokenHash]
    package var mark: ChangeMark
    /// There are more: ask again at once.
    package var hasMore: Bool
    /// The mark meant nothing to the store (it was restored from a copy, say): anything may have changed.
    package var isReset: Bool

    package init(
        users: [UserID], apiKeys: [TokenHash], mark: ChangeMark, hasMore: Bool = false, isReset: Bool = false
    ) {
        self.users = users
        self.apiKeys = apiKeys
        self.mark = mark
        self.hasMore = hasMore
        self.isReset = isReset
    }
}

/// Everything that a socket's rights hang on, as of one instant.
package struct UserSnapshot: Hashable, Sendable {
    package var user: User
    /// Raised by every change; 0 for a user whom nothing has happened to.
    package var version: Int64
    /// Raised when everything opened without a session is void: a new password, a revocation, an erasure. Sockets and
    /// tickets remember the one they were opened with.
    package var credentialsVersion: Int64
    package var memberships: [Membership]

    package init(user: User, version: Int64, credentialsVersion: Int64, memberships: [Membership]) {
        self.user = user
        self.version = version
        self.credentialsVersion = credentialsVersion
        self.memberships = memberships
    }
}
