package import ParleyModel

/// Each call is one query for any number of keys. Names and titles are compared byte by byte.
extension PostgresStore: Directory {
    package func accounts(_ ids: [UserID]) async throws(StoreError) -> [UserID: Account] {
        try await lookUp(ids.map(\.text), by: AccountQueries.usersByID) { row in
            let account = Account(try row.user(0), suspension: try row.optionalSuspension(2))
            return (account.user.id, account)
        }
    }

    package func accounts(named names: [String]) async throws(StoreError) -> [String: Account] {
        try await lookUp(names, by: AccountQueries.usersByName) { row in
            let account = Account(try row.user(0), suspension: try row.optionalSuspension(2))
            return (account.user.name, account)
        }
    }

    package func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession] {
        try await lookUp(tokens.map(\.text), by: AccountQueries.sessions) { row in
            let user = User(id: UserID(trusted: try row.text(2)), name: try row.text(3))
            let session = AuthSession(
                tokenHash: TokenHash(try row.text(0)), user: user, expires: try row.int(1),
                suspension: try row.optionalSuspension(4))
            return (session.tokenHash, session)
        }
    }

    /// Returns the memberships of users. As in the inbox, the title of a direct thread is the name of the other user.
    package func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]] {
        guard !users.isEmpty else { return [:] }
        return try await memberships(AccountQueries.memberships(.texts(users.map(\.text)))).reduce(into: [:]) {
            $0[$1.user, default: []].append($1.membership)
        }
    }

    package func memberships(at places: [MemberPlace]) async throws(StoreError) -> [MemberPlace: Membership] {
        guard !places.isEmpty else { return [:] }
        let call = AccountQueries.membershipsAtPlaces(
            .texts(places.map(\.user.text)), .texts(places.map(\.thread.text)))
        return try await memberships(call).reduce(into: [:]) {
            $0[MemberPlace(user: $1.user, thread: $1.membership.thread.id)] = $1.membership
        }
    }

    private func memberships(_ call: Call) async throws(StoreError) -> [(user: UserID, membership: Membership)] {
        try await rows(.lookUp, call) { row in
            let limits = try row.limits(8)
            let membership = Membership(
                thread: try row.threadInfo(2), role: try row.role(1), peer: try row.optionalUser(6), limits)
            return (UserID(trusted: try row.text(0)), membership)
        }
    }

    package func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]] {
        guard !users.isEmpty else { return [:] }
        // Removes duplicate users, which would duplicate the rows.
        let call = HistoryQueries.readStates(.texts(Set(users.map(\.text)).sorted()), .int(Int64(max(limit, 0))))
        let found = try await rows(.lookUp, call) { row in
            let readState = ReadState(
                thread: ThreadID(trusted: try row.text(1)), readSeq: try row.int(2), unreadCount: try row.int(3))
            return (UserID(trusted: try row.text(0)), readState)
        }
        return found.reduce(into: [:]) { $0[$1.0, default: []].append($1.1) }
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
        let pairs = others.flatMap { user, others in others.map { (user: user.text, other: $0.text) } }
        guard !pairs.isEmpty else { return [:] }
        let call = AccountQueries.peers(.texts(pairs.map(\.user)), .texts(pairs.map(\.other)))
        let found = try await rows(.lookUp, call) { row in
            (user: UserID(trusted: try row.text(0)), other: UserID(trusted: try row.text(1)))
        }
        return found.reduce(into: [:]) { $0[$1.user, default: []].insert($1.other) }
    }

    private func lookUp<Key: Hashable & Sendable, Value: Sendable>(
        _ keys: [String], by statement: Statement, _ decode: @escaping @Sendable (Row) throws -> (Key, Value)
    ) async throws(StoreError) -> [Key: Value] {
        // The server rejects texts that contain NUL, so no row can have such a key.
        let keys = keys.filter { !$0.utf8.contains(0) }
        guard !keys.isEmpty else { return [:] }
        let found = try await rows(.lookUp, statement(.texts(keys)), decode)
        // Not `uniqueKeysWithValues`: texts that differ in bytes can be equal as Swift strings.
        return found.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
