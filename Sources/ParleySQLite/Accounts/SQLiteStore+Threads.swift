import GRDB
package import ParleyModel

extension SQLiteStore: ThreadAdministration {
    /// How many messages of a thread that ends are deleted in one transaction.
    private static let deletedAtOnce = 2000

    package func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Bool? {
        let pair = Set([user.text, other.text]).sorted()
        return try await write { db in
            let users = try Int.fetchOne(
                db.cachedStatement(sql: ThreadQueries.countUsers), arguments: [user.text, other.text])
            guard users == pair.count else { return nil }
            try db.cachedStatement(sql: ThreadQueries.insertDirectThread)
                .execute(arguments: [thread.text, pair[0], pair[pair.count - 1], milliseconds])
            var isNew = false
            for member in pair {
                try db.cachedStatement(sql: ThreadQueries.insertMember)
                    .execute(arguments: [thread.text, member, milliseconds])
                if member == user.text { isNew = db.changesCount == 1 }
            }
            return isNew
        }
    }

    package func rename(_ thread: ThreadID, to title: String) async throws(StoreError) -> Bool {
        try Self.refuseNUL(in: title, as: "title")
        return try await write { db in
            try Self.orTaken {
                try db.cachedStatement(sql: ThreadQueries.rename).execute(arguments: [title, thread.text])
            }
            return db.changesCount == 1
        }
    }

    package func deleteThread(_ thread: ThreadID) async throws(StoreError) -> Bool {
        var isMore = true
        while isMore {
            isMore = try await write { db in
                try db.cachedStatement(sql: ThreadQueries.deleteOldest)
                    .execute(arguments: [thread.text, Self.deletedAtOnce])
                return db.changesCount == Self.deletedAtOnce
            }
        }
        return try await write { db in
            for sql in [
                ThreadQueries.deleteMessages, ThreadQueries.deleteEvents, ThreadQueries.deleteReactions,
                ThreadQueries.deleteThread,
            ] {
                try db.cachedStatement(sql: sql).execute(arguments: [thread.text])
            }
            return db.changesCount == 1
        }
    }

    package func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        try await read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: ThreadQueries.members),
                arguments: [thread.text, user?.text ?? "", max(limit, 0)]
            ).map { row in
                Member(user: User(id: UserID(trusted: row[0]), name: row[1]), role: try Self.role(row[2]))
            }
        }
    }

    package func setRole(
        _ role: Membership.Role, of user: UserID, in thread: ThreadID
    ) async throws(StoreError) -> Bool {
        try await changes(ThreadQueries.setRole, [role.rawValue, thread.text, user.text])
    }

    package func removeMember(_ user: UserID, from thread: ThreadID) async throws(StoreError) -> Bool {
        try await changes(ThreadQueries.removeMember, [thread.text, user.text])
    }

    package func joinableRooms(
        prefix: String, for user: UserID, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        guard !prefix.utf8.contains(0) else { return [] }
        return try await read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: ThreadQueries.joinableRooms), arguments: [prefix, user.text, max(limit, 0)]
            ).map { ThreadInfo(id: ThreadID(trusted: $0[0]), kind: .room, title: $0[1]) }
        }
    }

    // MARK: Users

    package func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        try await look(up: users.map(\.text), by: ThreadQueries.profiles) { row in
            (UserID(trusted: row[0]), Profile(displayName: row[1], avatarURL: row[2]))
        }
    }

    package func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) {
        try Self.refuseNUL(in: (profile.displayName ?? "") + (profile.avatarURL ?? ""), as: "profile")
        _ = try await changes(ThreadQueries.setProfile, [profile.displayName, profile.avatarURL, user.text])
    }

    package func revokeSessions(
        of user: UserID, except kept: TokenHash?
    ) async throws(StoreError) -> [TokenHash] {
        try await write { db in
            try String.fetchAll(
                db.cachedStatement(sql: ThreadQueries.revokeSessions), arguments: [user.text, kept?.text ?? ""]
            ).map { TokenHash($0) }
        }
    }

    /// Runs a statement that changes one row or none.
    private func changes(_ sql: String, _ values: [String?]) async throws(StoreError) -> Bool {
        try await write { db in
            try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
            return db.changesCount == 1
        }
    }
}
