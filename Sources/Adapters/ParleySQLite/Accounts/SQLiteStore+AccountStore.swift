import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: AccountStore {
    /// The time in milliseconds for which an expired session is kept before the creation of another session deletes it:
    /// one day.
    package static let sessionGrace: Int64 = 86_400_000
    /// The maximum number of sessions that one call deletes.
    package static let sessionPurgeLimit = 100

    package func createUser(
        _ user: User, passwordHash: String?, origin: AccountOrigin
    ) async throws(StoreError) {
        try StoredText.refuseNUL(in: user.name, as: "user name")
        let (now, look) = (clock.milliseconds, nameLook(user.name))
        try await write { db in
            if origin.isChosen, try Self.isTaken(look, in: db) { throw StoreError.taken }
            try Self.orTaken {
                try db.run(
                    AccountQueries.insertUser,
                    [
                        user.id.text, user.name, passwordHash, origin.rawValue, now, look.keys.first,
                        look.keys.dropFirst().first,
                    ])
            }
            if let note = AuditRules.signedUp(user.id, origin) { try Self.insert(note, at: now, in: db) }
        }
    }

    package func credentials(named name: String) async throws(StoreError) -> Credentials? {
        guard !name.utf8.contains(0) else { return nil }
        return try await read { db in
            try db.first(AccountQueries.credentials, [name]) { row in
                Credentials(
                    user: User(id: UserID(trusted: row[0]), name: row[1]), passwordHash: row[2],
                    credentialsVersion: row[3], suspension: row.optionalSuspension(4))
            }
        }
    }

    /// Creates a session, and deletes some sessions that expired long ago.
    package func createSession(
        _ session: AuthSession, credentialsVersion version: Int64
    ) async throws(StoreError) -> Bool {
        let longAgo = clock.milliseconds - Self.sessionGrace
        return try await write { db in
            try db.run(AccountQueries.purgeSessions, [longAgo, Self.sessionPurgeLimit])
            try Self.orTaken {
                try db.run(
                    AccountQueries.insertSession,
                    [session.tokenHash.text, session.user.id.text, session.expires, version])
            }
            return db.changesCount == 1
        }
    }

    package func sessions(
        of user: User, at now: Int64, after place: SessionPlace?, limit: Int
    ) async throws(StoreError) -> [AuthSession] {
        let place = place ?? .beginning
        return try await read { db in
            try db.all(AccountQueries.sessionsOfUser, [user.id.text, now, place.expires, place.hash, max(limit, 0)]) {
                AuthSession(tokenHash: TokenHash($0[0]), user: user, expires: $0[1])
            }
        }
    }

    package func session(of user: User, hashPrefix prefix: String) async throws(StoreError) -> AuthSession? {
        guard !prefix.utf8.contains(0) else { return nil }
        return try await read { db in
            try db.first(AccountQueries.sessionByPrefix, [user.id.text, prefix]) {
                AuthSession(tokenHash: TokenHash($0[0]), user: user, expires: $0[1])
            }
        }
    }

    /// Finds or creates a public room. Titles are compared byte by byte.
    /// - Throws: `taken` if the room is new and its id belongs to another thread.
    package func room(
        titled title: String, newID id: ThreadID, at milliseconds: Int64
    ) async throws(StoreError) -> ThreadInfo {
        try StoredText.refuseNUL(in: title, as: "title")
        return try await write { db in
            if let found = try Self.publicRoom(titled: title, in: db) { return found }
            return try Self.create(NewRoom(id: id, title: title, visibility: .public), at: milliseconds, in: db)
        }
    }

    static func publicRoom(titled title: String, in db: Database) throws -> ThreadInfo? {
        try db.first(AccountQueries.publicRoomOfTitle, [title]) { try $0.threadInfo(0) }
    }

    /// - Throws: `taken` if the id belongs to another thread, or the title to another public room.
    static func create(_ room: NewRoom, at milliseconds: Int64, in db: Database) throws -> ThreadInfo {
        try orTaken {
            try db.run(
                AccountQueries.insertRoom,
                [room.id.text, room.title, room.visibility.rawValue, room.history.rawValue, milliseconds])
        }
        return room.info
    }

    static func orTaken(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DatabaseError where error.isUniqueViolation {
            throw StoreError.taken
        }
    }
}
