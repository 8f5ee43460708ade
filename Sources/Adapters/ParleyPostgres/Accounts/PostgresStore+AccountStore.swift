package import ParleyModel
import ParleyStorage

extension PostgresStore: AccountStore {
    /// The time in milliseconds for which an expired session is kept before the creation of another session deletes it:
    /// one day.
    package static let sessionGrace: Int64 = 86_400_000
    /// The maximum number of sessions that one call deletes.
    package static let sessionPurgeLimit = 100

    package func createUser(
        _ user: User, passwordHash: String?, origin: AccountOrigin
    ) async throws(StoreError) {
        try StoredText.refuseNUL(in: user.name, as: "user name")
        let look = nameLook(user.name)
        let call = AccountQueries.insertUser(
            .text(user.id.text), .text(user.name), .text(passwordHash), .text(origin.rawValue),
            .int(clock.milliseconds), .text(look.keys.first), .text(look.keys.dropFirst().first))
        if let note = AuditRules.signedUp(user.id, origin) {
            return try await createChosen(look, [call, AuditQueries.insertion(of: note, at: clock.milliseconds)])
        }
        try await run(.account, call)
    }

    package func credentials(named name: String) async throws(StoreError) -> Credentials? {
        guard !name.utf8.contains(0) else { return nil }
        return try await rows(.account, AccountQueries.credentials(.text(name))) { row in
            let user = User(id: UserID(trusted: try row.text(0)), name: try row.text(1))
            return Credentials(
                user: user, passwordHash: try row.optionalText(2), credentialsVersion: try row.int(3),
                suspension: try row.optionalSuspension(4))
        }.first
    }

    /// Creates a session, and deletes some sessions that expired long ago.
    package func createSession(
        _ session: AuthSession, credentialsVersion version: Int64
    ) async throws(StoreError) -> Bool {
        let longAgo = clock.milliseconds - Self.sessionGrace
        let insert = AccountQueries.insertSession(
            .text(session.tokenHash.text), .text(session.user.id.text), .int(session.expires), .int(version))
        let purge = AccountQueries.purgeSessions(.int(longAgo), .int(Int64(Self.sessionPurgeLimit)))
        // Locks the user before any session, in the same order as a transaction that ends a user's sessions.
        let hold = AccountQueries.holdCredentials(.text(session.user.id.text))
        var pipeline = Pipeline(hold, purge)
        let inserted = pipeline.add(insert)
        return try await pool.perform(.account) { [pipeline] in try $0.run(pipeline).count(inserted) == 1 }
    }

    package func sessions(
        of user: User, at now: Int64, after place: SessionPlace?, limit: Int
    ) async throws(StoreError) -> [AuthSession] {
        let place = place ?? .beginning
        let call = AccountQueries.sessionsOfUser(
            .text(user.id.text), .int(now), .int(place.expires), .text(place.hash), .int(Int64(max(limit, 0))))
        return try await rows(.account, call) { row in
            AuthSession(tokenHash: TokenHash(try row.text(0)), user: user, expires: try row.int(1))
        }
    }

    package func session(of user: User, hashPrefix prefix: String) async throws(StoreError) -> AuthSession? {
        guard !prefix.utf8.contains(0) else { return nil }
        return try await rows(.account, AccountQueries.sessionByPrefix(.text(user.id.text), .text(prefix))) { row in
            AuthSession(tokenHash: TokenHash(try row.text(0)), user: user, expires: try row.int(1))
        }.first
    }

    /// Finds or creates a public room. Titles are compared byte by byte.
    /// - Throws: `taken` if the room is new and its id belongs to another thread.
    package func room(
        titled title: String, newID id: ThreadID, at milliseconds: Int64
    ) async throws(StoreError) -> ThreadInfo {
        try StoredText.refuseNUL(in: title, as: "title")
        return try await pool.perform(.account) { connection in
            let find = AccountQueries.publicRoomOfTitle(.text(title))
            var found = try connection.run(find).first
            if found == nil {
                var pipeline = Pipeline()
                let history = Parameter.text(RoomHistory.all.rawValue)
                _ = pipeline.add(AccountQueries.insertRoom(.text(id.text), .text(title), .int(milliseconds), history))
                let room = pipeline.add(find)
                found = try connection.run(pipeline).first(room)
            }
            guard let found else { throw StoreError.failed("a room was deleted concurrently") }
            return found
        }
    }
}
