import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: ThreadAdministration {
    package func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Set<UserID>? {
        let pair = Set([user.text, other.text]).sorted()
        return try await write { db in
            let users = try Int.fetchOne(
                db.cachedStatement(sql: ThreadQueries.countUsers), arguments: [user.text, other.text])
            guard users == pair.count else { return nil }
            try db.run(ThreadQueries.insertDirectThread, [thread.text, pair[0], pair[pair.count - 1], milliseconds])
            var added: Set<UserID> = []
            for member in db.changesCount == 1 ? pair : [user.text] {
                try db.run(ThreadQueries.insertMember, [thread.text, member, milliseconds])
                if db.changesCount == 1 { added.insert(UserID(trusted: member)) }
            }
            return added
        }
    }

    package func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        try await read(.reading) { db in
            try db.all(ThreadQueries.members, [thread.text, user?.text ?? "", max(limit, 0)]) { row in
                Member(
                    user: User(id: UserID(trusted: row[0]), name: row[1]), role: try Membership.Role(stored: row[2]),
                    profile: Profile(displayName: row[3], avatarURL: row[4]), readSeq: row[5], readMilliseconds: row[6])
            }
        }
    }

    package func sanctions(
        in thread: ThreadID, at now: Int64, after place: SanctionPlace?, limit: Int
    ) async throws(StoreError) -> [SanctionRecord] {
        let arguments: StatementArguments = [
            thread.text, now, place?.user.text ?? "", place?.kind.rawValue ?? "", max(limit, 0),
        ]
        return try await read(.reading) { db in
            try db.all(SanctionQueries.page, arguments) { row in
                guard let sanction = try row.optionalSanction(0), let user = row.optionalUser(3) else {
                    throw StoreError.failed("a sanction has no kind or no user")
                }
                let author: String? = row[5]
                return SanctionRecord(
                    user: user, sanction: sanction, author: author.map { UserID(trusted: $0) }, since: row[6])
            }
        }
    }

    package func joinableRooms(
        prefix: String, for user: UserID, at now: Int64, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        guard !prefix.utf8.contains(0) else { return [] }
        return try await read(.reading) { db in
            try db.all(ThreadQueries.joinableRooms, [prefix, user.text, max(limit, 0), now]) { try $0.threadInfo(0) }
        }
    }

    package func history(of thread: ThreadID) async throws(StoreError) -> RoomHistory? {
        try await read(.reading) { db in
            try db.first(StateQueries.history, [thread.text]) { try RoomHistory(stored: $0[0]) }
        }
    }

    // MARK: Users

    package func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        try await lookUp(users.map(\.text), by: ThreadQueries.profiles) { row in
            (UserID(trusted: row[0]), Profile(displayName: row[1], avatarURL: row[2]))
        }
    }

    package func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) -> Bool {
        try Self.refuseNUL(in: profile)
        let now = clock.milliseconds
        return try await write { db in try Self.setProfile(profile, of: user, at: now, db) }
    }

    static func refuseNUL(in profile: Profile) throws(StoreError) {
        try StoredText.refuseNUL(in: (profile.displayName ?? "") + (profile.avatarURL ?? ""), as: "profile")
    }

    /// Sets a profile, and adds a row to the audit log.
    static func setProfile(
        _ profile: Profile, of user: UserID, at milliseconds: Int64, _ db: Database
    ) throws -> Bool {
        func run(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
            try db.run(sql, arguments)
            return db.changesCount == 1
        }
        if let avatar = profile.avatar,
            try !run(AttachmentQueries.keepAvatar, [avatar.text, user.text])
        {
            return false
        }
        let old = try String.fetchOne(db.cachedStatement(sql: ThreadQueries.avatar), arguments: [user.text])
        guard try run(ThreadQueries.setProfile, [profile.displayName, profile.avatarURL, user.text]) else {
            return false
        }
        if let unused = Profile(avatarURL: old).avatar, unused != profile.avatar {
            _ = try run(AttachmentQueries.releaseAvatar, [unused.text, user.text])
        }
        try insert(AuditRules.profileSet(user), at: milliseconds, in: db)
        return true
    }
}
