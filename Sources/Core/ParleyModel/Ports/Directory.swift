/// Batched reads of users, sessions and memberships.
///
/// A key without an entry in the result is unknown. Erased users are unknown, though they may be the other member of a
/// direct thread.
package protocol Directory: Sendable {
    func users(_ ids: [UserID]) async throws(StoreError) -> [UserID: User]

    /// By exact name.
    func users(named names: [String]) async throws(StoreError) -> [String: User]

    /// Those names that people would take for the name of a user who is not erased (`NameLook.isTaken`).
    func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook>

    /// Includes expired sessions; the caller compares the time.
    func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession]

    /// Stored API keys.
    func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord]

    /// All memberships of each user; a user without any may be missing.
    func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]]

    /// Single memberships, whatever the number of threads that the users are in; a user who is no member is missing.
    func memberships(at places: [MemberPlace]) async throws(StoreError) -> [MemberPlace: Membership]

    /// Each user's read state in the first `limit` threads, in the order of `MessageStore.threads(of:after:limit:)`. A
    /// user without any may be missing.
    func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]]

    func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo]

    /// Public rooms by exact title.
    func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo]

    /// Those of the `others` of each user who share a thread with the user, direct threads included. A user without any
    /// may be missing.
    func peers(among others: [UserID: Set<UserID>]) async throws(StoreError) -> [UserID: Set<UserID>]
}

extension Directory {
    /// Default implementation by way of all memberships; stores have a faster one.
    package func memberships(at places: [MemberPlace]) async throws(StoreError) -> [MemberPlace: Membership] {
        let memberships = try await memberships(of: Array(Set(places.map(\.user))))
        return places.reduce(into: [:]) { found, place in
            found[place] = memberships[place.user, default: []].first { $0.thread.id == place.thread }
        }
    }

    /// Default implementation by way of the memberships; stores have a faster one.
    package func peers(among others: [UserID: Set<UserID>]) async throws(StoreError) -> [UserID: Set<UserID>] {
        let users = others.values.reduce(into: Set(others.keys)) { $0.formUnion($1) }
        let threads = try await memberships(of: Array(users)).mapValues { Set($0.map(\.thread.id)) }
        return others.reduce(into: [:]) { found, question in
            let mine = threads[question.key, default: []]
            found[question.key] = question.value.filter { !mine.isDisjoint(with: threads[$0, default: []]) }
        }
    }
}

/// A user in a thread, of which they may be a member.
package struct MemberPlace: Hashable, Sendable {
    package var user: UserID
    package var thread: ThreadID

    package init(user: UserID, thread: ThreadID) {
        self.user = user
        self.thread = thread
    }
}

/// How far a member has read in a thread.
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
