package import ParleyModel
import ParleyStorage

extension ModelDatabase: AccountStore {
    /// The time that expired sessions are kept before the creation of others deletes them, in milliseconds, and the
    /// number that is deleted at once.
    private static let (sessionGrace, sessionPurgeLimit) = (86_400_000 as Int64, 100)

    package func createUser(
        _ user: User, passwordHash: String?, origin: AccountOrigin
    ) async throws(StoreError) {
        try StoredText.refuseNUL(in: user.name, as: "user name")
        let look = nameLook(user.name)
        try await write(.account) { tables, context in
            if origin.isChosen, tables.isTaken(look) { throw StoreError.taken }
            guard tables.insertUser(UserRow(user, passwordHash, origin, look)) else { throw StoreError.taken }
            if let note = AuditRules.signedUp(user.id, origin) { tables.note(note, at: context.now) }
        }
    }

    package func credentials(named name: String) async throws(StoreError) -> Credentials? {
        try await read(.account) { tables in
            tables.user(named: name).flatMap { row in
                row.isPresent
                    ? Credentials(
                        user: row.user, passwordHash: row.passwordHash, credentialsVersion: row.credentialsVersion,
                        suspension: row.account.suspension)
                    : nil
            }
        }
    }

    /// Creates a session. Also deletes some sessions that expired long ago.
    package func createSession(
        _ session: AuthSession, credentialsVersion version: Int64
    ) async throws(StoreError) -> Bool {
        let longAgo = clock.milliseconds - Self.sessionGrace
        return try await write(.account) { tables, _ in
            let expired = tables.sessions.filter { $0.value.expires < longAgo }
                .sorted { ($0.value.expires, $0.key.text) < ($1.value.expires, $1.key.text) }
                .prefix(Self.sessionPurgeLimit).map(\.key)
            let row = tables.users[session.user.id]
            let isAllowed = row?.isPresent == true && row?.credentialsVersion == version
            if isAllowed, tables.sessions[session.tokenHash] != nil, !expired.contains(session.tokenHash) {
                throw StoreError.taken
            }
            for token in expired { _ = tables.deleteSession(token) }
            guard isAllowed else { return false }
            tables.insertSession(
                session.tokenHash, SessionRow(user: session.user.id, expires: session.expires))
            return true
        }
    }

    package func sessions(
        of user: User, at now: Int64, after place: SessionPlace?, limit: Int
    ) async throws(StoreError) -> [AuthSession] {
        let place = place ?? .beginning
        return try await read(.account) { tables in
            let sessions = tables.sessions(of: user).filter { session in
                session.expires > now
                    && (-session.expires, session.tokenHash.text) > (-place.expires, place.hash)
            }
            let ordered = sessions.sorted { (-$0.expires, $0.tokenHash.text) < (-$1.expires, $1.tokenHash.text) }
            return Array(ordered.prefix(max(limit, 0)))
        }
    }

    package func session(of user: User, hashPrefix prefix: String) async throws(StoreError) -> AuthSession? {
        try await read(.account) { tables in
            tables.sessions(of: user).filter { $0.tokenHash.text.utf8.starts(with: prefix.utf8) }
                .min { $0.tokenHash.text < $1.tokenHash.text }
        }
    }

    /// - Throws: `taken` if the room is new and its id belongs to another thread.
    package func room(
        titled title: String, newID id: ThreadID, at milliseconds: Int64
    ) async throws(StoreError) -> ThreadInfo {
        try StoredText.refuseNUL(in: title, as: "title")
        if let found = try await read(.account, { $0.room(titled: title)?.info }) { return found }
        return try await write(.account) { tables, _ in
            try tables.checkRemains(of: id)
            if let found = tables.room(titled: title) { return found.info }
            let room = NewRoom(id: id, title: title, visibility: .public)
            guard tables.insertThread(ThreadRow(room)) else { throw StoreError.taken }
            return room.info
        }
    }
}

extension UserRow {
    init(_ user: User, _ passwordHash: String?, _ origin: AccountOrigin, _ look: NameLook) {
        self.init(
            id: user.id, name: user.name, passwordHash: passwordHash, origin: origin, looks: look.keys)
    }
}

extension Tables {
    fileprivate func sessions(of user: User) -> [AuthSession] {
        (sessionsByUser[user.id] ?? []).compactMap { token in
            sessions[token].map { AuthSession(tokenHash: token, user: user, expires: $0.expires) }
        }
    }
}
