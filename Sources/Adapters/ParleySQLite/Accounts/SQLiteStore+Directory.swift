import GRDB
import ParleyJSON
package import ParleyModel

/// Each call is one query, or at least one transaction, for any number of keys. Names and titles are compared byte by
/// byte.
extension SQLiteStore: Directory {
    package func accounts(_ ids: [UserID]) async throws(StoreError) -> [UserID: Account] {
        try await lookUp(ids.map(\.text), by: AccountQueries.usersByID) { row in
            let account = row.account(0)
            return (account.user.id, account)
        }
    }

    package func accounts(named names: [String]) async throws(StoreError) -> [String: Account] {
        try await lookUp(names, by: AccountQueries.usersByName) { row in
            let account = row.account(0)
            return (account.user.name, account)
        }
    }

    package func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession] {
        try await lookUp(tokens.map(\.text), by: AccountQueries.sessions) { row in
            let user = User(id: UserID(trusted: row[2]), name: row[3])
            let session = AuthSession(
                tokenHash: TokenHash(row[0]), user: user, expires: row[1], suspension: row.optionalSuspension(4))
            return (session.tokenHash, session)
        }
    }

    package func apiKeys(_ hashes: [TokenHash]) async throws(StoreError) -> [TokenHash: APIKeyRecord] {
        try await lookUp(hashes.map(\.text), by: AccountQueries.apiKeys) { row in
            let key = Self.apiKey(row)
            return (key.hash, key)
        }
    }

    /// Returns the memberships of users. As in the inbox, the title of a direct thread is the name of the other user.
    package func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]] {
        guard !users.isEmpty else { return [:] }
        return try await memberships(AccountQueries.memberships, Self.json(users.map(\.text))).reduce(into: [:]) {
            $0[$1.user, default: []].append($1.membership)
        }
    }

    package func memberships(at places: [MemberPlace]) async throws(StoreError) -> [MemberPlace: Membership] {
        guard !places.isEmpty else { return [:] }
        let keys = Self.json(places.map { .array([.text($0.thread.text), .text($0.user.text)]) })
        return try await memberships(AccountQueries.membershipsAtPlaces, keys).reduce(into: [:]) {
            $0[MemberPlace(user: $1.user, thread: $1.membership.thread.id)] = $1.membership
        }
    }

    private func memberships(
        _ query: String, _ keys: String
    ) async throws(StoreError) -> [(user: UserID, membership: Membership)] {
        try await read { db in
            try db.all(query, [keys]) { row in
                let limits = try row.limits(8)
                let membership = Membership(
                    thread: try row.threadInfo(2), role: try row.role(1), peer: row.optionalUser(6), limits)
                return (UserID(trusted: row[0]), membership)
            }
        }
    }

    package func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]] {
        try await read { db in
            var readStates: [UserID: [ReadState]] = [:]
            for user in users {
                readStates[user] = try db.all(ReadQueries.readStates, [user.text, max(limit, 0)]) {
                    ReadState(thread: ThreadID(trusted: $0[0]), readSeq: $0[1], unreadCount: $0[2])
                }
            }
            return readStates
        }
    }

    package func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo] {
        try await lookUp(ids.map(\.text), by: AccountQueries.threadsByID) { row in
            let info = try row.threadInfo(0)
            return (info.id, info)
        }
    }

    package func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo] {
        try await lookUp(titles, by: AccountQueries.roomsByTitle) { row in
            let info = try row.threadInfo(0)
            return (info.title, info)
        }
    }

    package func peers(among others: [UserID: Set<UserID>]) async throws(StoreError) -> [UserID: Set<UserID>] {
        let pairs = others.flatMap { user, others in
            others.map { JSONTree.array([.text(user.text), .text($0.text)]) }
        }
        guard !pairs.isEmpty else { return [:] }
        let keys = Self.json(pairs)
        return try await read { db in
            let rows = try Row.fetchCursor(db.cachedStatement(sql: AccountQueries.peers), arguments: [keys])
            var found: [UserID: Set<UserID>] = [:]
            while let row = try rows.next() {
                found[UserID(trusted: row[0]), default: []].insert(UserID(trusted: row[1]))
            }
            return found
        }
    }

    func lookUp<Key: Hashable & Sendable, Value: Sendable>(
        _ keys: [String], by sql: String, _ decode: @Sendable (Row) throws -> (Key, Value)
    ) async throws(StoreError) -> [Key: Value] {
        guard !keys.isEmpty else { return [:] }
        let keys = Self.json(keys)
        return try await read { db in
            // Not `uniqueKeysWithValues`: texts that differ in bytes can be equal as Swift strings.
            try db.all(sql, [keys], decode).reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Encodes keys as one bound value, so that the number of parameters does not limit the number of keys.
    static func json(_ keys: [String]) -> String { json(keys.map { .text($0) }) }

    /// Encodes keys that consist of several parts.
    static func json(_ keys: [JSONTree]) -> String { JSONTree.array(keys).canonical }
}
