/// What operators and back ends do with accounts, rather than users themselves.
package protocol AccountAdministration: Sendable {
    /// Makes users, rooms and memberships, in the order given and as one transaction; what is there already is left as
    /// it is, so that the same import may come again. A record that is refused does not hold up the rest.
    ///
    /// A newcomer's read cursor is at the end of what is stored; no event enters a log.
    /// - Parameters:
    ///   - origin: of the users that are made.
    ///   - milliseconds: now.
    /// - Returns: one outcome for each record.
    func importRecords(
        _ records: [ImportRecord], origin: AccountOrigin, at milliseconds: Int64
    ) async throws(StoreError) -> [ImportOutcome]

    /// What the operator rights of a user hang on, read after this call; `nil`: unknown or erased.
    func operatorStatus(of user: UserID) async throws(StoreError) -> OperatorStatus?

    /// The users who have been made operators (`StateStore.setOperator`), at most `limit`, in the order of their names'
    /// bytes.
    func operators(limit: Int) async throws(StoreError) -> [User]

    /// Users whose name begins with `prefix`, at most `limit`, in the order of their names' bytes.
    func users(prefix: String, limit: Int) async throws(StoreError) -> [User]

    /// Rooms whose title begins with `prefix`, at most `limit`, in the order of their titles' bytes.
    func threads(prefix: String, limit: Int) async throws(StoreError) -> [ThreadInfo]

    /// - Throws: `StoreError.taken` if the name or the hash is.
    func createAPIKey(_ key: APIKeyRecord) async throws(StoreError)

    /// The stored keys, at most `limit`, in the order of their names' bytes.
    func apiKeys(limit: Int) async throws(StoreError) -> [APIKeyRecord]

    /// Ends a key.
    /// - Returns: whether there was one of this name.
    func revokeAPIKey(named name: String) async throws(StoreError) -> Bool
}
