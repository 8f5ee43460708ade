/// Account operations that operators and back ends perform, as opposed to the operations of users in `AccountStore`.
package protocol AccountAdministration: AuditLog {
    /// Creates users, rooms and memberships in the given order, in one transaction. Existing ones are left unchanged, so that
    /// an import can be repeated. A rejected record does not stop the import.
    ///
    /// A new member's read cursor is at the end of the stored log. No event enters a log.
    /// - Parameters:
    ///   - origin: the origin of the created users.
    ///   - actor: the party that the audit log names for each created user; `nil` for an import, whose users have no rows.
    ///   - milliseconds: the current time.
    /// - Returns: one outcome for each record.
    func importRecords(
        _ records: [ImportRecord], origin: AccountOrigin, by actor: AuditActor?, at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome]

    /// The facts that decide a user's operator rights, read after this call; `nil` if the user is unknown or erased.
    func operatorStatus(of user: UserID) async throws(StoreError) -> OperatorStatus?

    /// The users who were granted operator rights (`StateStore.setOperator`), at most `limit`, in the byte order of their names.
    func operators(limit: Int) async throws(StoreError) -> [User]

    /// The suspensions that have not ended, in the byte order of the users' ids.
    /// - Parameters:
    ///   - now: The current time in Unix milliseconds.
    ///   - user: The user to continue after; `nil` starts at the beginning.
    ///   - limit: The maximum number of suspensions.
    func suspensions(at now: Int64, after user: UserID?, limit: Int) async throws(StoreError) -> [SuspensionRecord]

    /// Users whose name begins with `prefix`, at most `limit`, in the byte order of their names.
    func users(prefix: String, limit: Int) async throws(StoreError) -> [User]

    /// Rooms whose title begins with `prefix`, at most `limit`, in the byte order of their titles.
    func threads(prefix: String, limit: Int) async throws(StoreError) -> [ThreadInfo]

    /// Creates a key. The audit log names `parley admin` as the actor.
    /// - Throws: `StoreError.taken` if the name or the hash is taken.
    func createAPIKey(_ key: APIKeyRecord) async throws(StoreError)

    /// The stored keys, at most `limit`, in the byte order of their names.
    func apiKeys(limit: Int) async throws(StoreError) -> [APIKeyRecord]

    /// Revokes a key. The audit log names `parley admin` as the actor.
    /// - Returns: Whether a key of this name existed.
    func revokeAPIKey(named name: String) async throws(StoreError) -> Bool
}
