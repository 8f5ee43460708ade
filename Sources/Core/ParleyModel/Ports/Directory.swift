/// Batched reads of users, sessions and memberships.
///
/// A key without an entry in the result is unknown. Erased users are unknown, although they may be the other member of a direct thread.
package protocol Directory: Sendable {
    func accounts(_ ids: [UserID]) async throws(StoreError) -> [UserID: Account]

    /// Returns users by exact name.
    func accounts(named names: [String]) async throws(StoreError) -> [String: Account]

    /// Returns the names that people would mistake for the name of a user who is not erased (`NameLook.isTaken`).
    func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook>

    /// Returns sessions, including expired ones. The caller checks the time.
    func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession]

    /// Returns stored API keys.
    func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord]

    /// Returns all memberships of each user. A user without memberships may be missing.
    func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]]

    /// Returns single memberships, at a cost that is independent of the number of the users' threads. Users who are not members
    /// are missing.
    func memberships(at places: [MemberPlace]) async throws(StoreError) -> [MemberPlace: Membership]

    /// Returns each user's read state in the first `limit` threads, in the order of `MessageStore.threads(of:after:limit:)`. A
    /// user without threads may be missing.
    func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]]

    func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo]

    /// Returns public rooms by exact title.
    func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo]

    /// Returns, for each user, the members of `others` who share a thread with them, direct threads included. A user without
    /// such members may be missing.
    func peers(among others: [UserID: Set<UserID>]) async throws(StoreError) -> [UserID: Set<UserID>]
}

extension Directory {
    package func users(_ ids: [UserID]) async throws(StoreError) -> [UserID: User] {
        try await accounts(ids).mapValues(\.user)
    }

    /// Returns users by exact name.
    package func users(named names: [String]) async throws(StoreError) -> [String: User] {
        try await accounts(named: names).mapValues(\.user)
    }

    /// Default implementation that reads all memberships. Stores have a faster one.
    package func memberships(at places: [MemberPlace]) async throws(StoreError) -> [MemberPlace: Membership] {
        let memberships = try await memberships(of: Array(Set(places.map(\.user))))
        return places.reduce(into: [:]) { found, place in
            found[place] = memberships[place.user, default: []].first { $0.thread.id == place.thread }
        }
    }

    /// Default implementation that reads all memberships. Stores have a faster one.
    package func peers(among others: [UserID: Set<UserID>]) async throws(StoreError) -> [UserID: Set<UserID>] {
        let users = others.values.reduce(into: Set(others.keys)) { $0.formUnion($1) }
        let threads = try await memberships(of: Array(users)).mapValues { Set($0.map(\.thread.id)) }
        return others.reduce(into: [:]) { found, question in
            let mine = threads[question.key, default: []]
            found[question.key] = question.value.filter { !mine.isDisjoint(with: threads[$0, default: []]) }
        }
    }
}

/// A user and a thread that they may or may not belong to.
package struct MemberPlace: Hashable, Sendable {
    package var user: UserID
    package var thread: ThreadID

    package init(user: UserID, thread: ThreadID) {
        self.user = user
        self.thread = thread
    }
}

/// A member's read position in a thread.
package struct ReadState: Hashable, Sendable {
    package var thread: ThreadID
    /// The read cursor; may be ahead of what is stored.
    package var readSeq: Int64
    /// Undeleted messages after the read cursor.
    package var unreadCount: Int64

    package init(thread: ThreadID, readSeq: Int64, unreadCount: Int64) {
        self.thread = thread
        self.readSeq = readSeq
        self.unreadCount = unreadCount
    }
}
