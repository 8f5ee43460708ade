package import ParleyModel

extension PostgresStore: AccountStore {
    /// Sessions expired longer than this are deleted when new ones are made, in milliseconds: a day.
    package static let sessionGrace: Int64 = 86_400_000
    /// The most sessions deleted at a time.
    package static let sessionPurgeLimit = 100

    package func createUser(_ user: User, passwordHash: String?) async throws(StoreError) {
        try Self.refuseNUL(in: user.name, as: "user name")
        let call = AccountQueries.insertUser(
            .text(user.id.text), .text(user.name), .text(passwordHash), .int(clock.milliseconds))
        try await run(.account, call)
    }

    package func credentials(named name: String) async throws(StoreError) -> Credentials? {
        guard !name.utf8.contains(0) else { return nil }
        return try await rows(.account, AccountQueries.credentials(.text(name))) { row in
            let user = User(id: UserID(trusted: try row.text(0)), name: try row.text(1))
            return Credentials(
                user: user, passwordHash: try row.optionalText(2), credentialsVersion: try row.int(3))
        }.first
    }

    /// Nothing happens if the user is unknown.
    package func setPasswordHash(_ hash: String, of user: UserID) async throws(StoreError) {
        let call = AccountQueries.setPasswordHash(.text(hash), .text(user.text))
        try await run(.account, call)
    }

    /// Also deletes some sessions that expired long ago.
    /// - Throws: `taken` if the token is, `failed` if the user is unknown.
    package func createSession(_ session: AuthSession) async throws(StoreError) {
        let longAgo = clock.milliseconds - Self.sessionGrace
        try await run(
            .account, AccountQueries.purgeSessions(.int(longAgo), .int(Int64(Self.sessionPurgeLimit))),
            AccountQueries.insertSession(
                .text(session.tokenHash.text), .text(session.user.id.text), .int(session.expires)))
    }

    package func revokeSession(_ token: TokenHash) async throws(StoreError) -> UserID? {
        try await rows(.account, AccountQueries.deleteSession(.text(token.text))) { UserID(trusted: try $0.text(0)) }
            .first
    }

    /// The title is compared byte by byte. A newcomer's read cursor is at the end of what is stored.
    /// - Throws: `taken` if the room is new and its id is another thread's, `failed` if the user is unknown.
    package func joinRoom(
        titled title: String, user: UserID, newID id: ThreadID, at milliseconds: Int64
    ) async throws(StoreError) -> JoinedRoom {
        try Self.refuseNUL(in: title, as: "title")
        return try await pool.perform(.account) { connection in
            // Who is a member, as nearly all who ask, costs no transaction.
            let known = try connection.run([AccountQueries.roleByTitle(.text(title), .text(user.text))])[0].first
            if let known { return try Self.joined(known.text(0), title, role: known.text(1), isNew: false) }

            let made = try connection.run([
                Statement.begin(), AccountQueries.insertRoom(.text(id.text), .text(title), .int(milliseconds)),
                AccountQueries.roomOfTitle(.text(title)),
            ])
            guard let room = try made[2].first?.text(0) else { throw StoreError.failed("a room is gone again") }
            let role = made[1].count == 1 ? Membership.Role.owner : .member
            let joined = try connection.run([
                Locks.cursorsOfThread(.text(room)),
                AccountQueries.insertMember(
                    .text(room), .text(user.text), .text(role.rawValue), .int(milliseconds)),
                AccountQueries.role(.text(room), .text(user.text)), Statement.commit(),
            ])
            guard let kept = try joined[2].first?.text(0) else { throw StoreError.failed("a member is gone again") }
            return try Self.joined(room, title, role: kept, isNew: joined[1].count == 1)
        }
    }

    /// The title is compared byte by byte.
    /// - Throws: `taken` if the room is new and its id is another thread's.
    package func room(
        titled title: String, newID id: ThreadID, at milliseconds: Int64
    ) async throws(StoreError) -> ThreadInfo {
        try Self.refuseNUL(in: title, as: "title")
        return try await pool.perform(.account) { connection in
            let find = AccountQueries.roomOfTitle(.text(title))
            var found = try connection.run([find])[0].first?.text(0)
            if found == nil {
                let insert = AccountQueries.insertRoom(.text(id.text), .text(title), .int(milliseconds))
                found = try connection.run([insert, find])[1].first?.text(0)
            }
            guard let found else { throw StoreError.failed("a room is gone again") }
            return ThreadInfo(id: ThreadID(trusted: found), kind: .room, title: title)
        }
    }

    static func joined(
        _ room: String, _ title: String, role: String, isNew: Bool
    ) throws(StoreError) -> JoinedRoom {
        let info = ThreadInfo(id: ThreadID(trusted: room), kind: .room, title: title)
        return JoinedRoom(membership: Membership(thread: info, role: try Self.role(role)), isNewMember: isNew)
    }

    /// - Throws: `StoreError.failed` for a role that this version does not know.
    static func role(_ text: String) throws(StoreError) -> Membership.Role {
        guard let role = Membership.Role(rawValue: text) else {
            throw .failed("a member has the unknown role \(text)")
        }
        return role
    }

    /// PostgreSQL's texts have no NUL.
    static func refuseNUL(in text: String, as field: String) throws(StoreError) {
        if text.utf8.contains(0) { throw .failed("the \(field) contains a NUL character, which is not allowed") }
    }
}
