/// Users, sessions and memberships: the reading side, many at a time.
///
/// A key without an entry in the answer is unknown. Erased users are unknown, though they may be the other of a direct
/// thread.
package protocol Directory: Sendable {
    func users(_ ids: [UserID]) async throws(StoreError) -> [UserID: User]

    /// By exact name.
    func users(named names: [String]) async throws(StoreError) -> [String: User]

    /// Expired sessions included: the caller knows the time.
    func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession]

    /// Stored API keys.
    func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord]

    /// All memberships of each user; a user without any may be missing.
    func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]]

    /// How each user stands in their threads: the first `limit` of each, in the order of
    /// `MessageStore.threads(of:after:limit:)`. A user without any may be missing.
    func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]]

    func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo]

    /// The rooms of these titles.
    func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo]

    /// Those of `others` that share a thread with `user`, direct threads included.
    func peers(of user: UserID, among others: [UserID]) async throws(StoreError) -> Set<UserID>
}

extension Directory {
    /// By way of the memberships; a store knows a shorter one.
    package func peers(of user: UserID, among others: [UserID]) async throws(StoreError) -> Set<UserID> {
        let memberships = try await memberships(of: Array(Set(others + [user])))
        let threads = Set(memberships[user, default: []].map(\.thread.id))
        return Set(
            others.filter { other in memberships[other, default: []].contains { threads.contains($0.thread.id) } })
    }
}
