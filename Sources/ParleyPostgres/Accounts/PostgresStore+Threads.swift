package import ParleyModel

extension PostgresStore: ThreadAdministration {
    /// How many messages of a thread that ends are deleted in one transaction.
    private static let deletedAtOnce: Int64 = 2000

    package func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Bool? {
        let pair = Set([user.text, other.text]).sorted()
        return try await pool.perform(.account) { connection in
            let users = try connection.run([Statement.begin(), ThreadQueries.users(.texts(pair))])[1]
            guard users.count == pair.count else {
                try connection.run([Statement.commit()])
                return nil
            }
            let (id, role) = (Parameter.text(thread.text), Parameter.text(Membership.Role.member.rawValue))
            let insertions = pair.map { AccountQueries.insertMember(id, .text($0), role, .int(milliseconds)) }
            let answers = try connection.run(
                [
                    ThreadQueries.insertDirectThread(
                        id, .text(pair[0]), .text(pair[pair.count - 1]), .int(milliseconds)),
                    Locks.cursorsOfThread(id),
                ] + insertions + [Statement.commit()])
            guard let own = pair.firstIndex(of: user.text) else { return nil }
            return answers[2 + own].count == 1
        }
    }

    package func rename(_ thread: ThreadID, to title: String) async throws(StoreError) -> Bool {
        try Self.refuseNUL(in: title, as: "title")
        return try await changes(ThreadQueries.rename(.text(title), .text(thread.text)))
    }

    package func deleteThread(_ thread: ThreadID) async throws(StoreError) -> Bool {
        let id = Parameter.text(thread.text)
        var isMore = true
        while isMore {
            let call = ThreadQueries.deleteOldest(id, .int(Self.deletedAtOnce))
            isMore = try await rows(.account, call) { try $0.int(0) }.first == Self.deletedAtOnce
        }
        return try await pool.perform(.account) { connection in
            let answers = try connection.run([
                Statement.begin(), ThreadQueries.lock(id), ThreadQueries.deleteMessages(id),
                ThreadQueries.deleteEvents(id), ThreadQueries.deleteReactions(id), ThreadQueries.deleteThread(id),
                Statement.commit(),
            ])
            return answers[5].count == 1
        }
    }

    package func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        let call = ThreadQueries.members(.text(thread.text), .text(user?.text ?? ""), .int(Int64(max(limit, 0))))
        return try await rows(.account, call) { row in
            Member(
                user: User(id: UserID(trusted: try row.text(0)), name: try row.text(1)),
                role: try Self.role(row.text(2)))
        }
    }

    package func setRole(
        _ role: Membership.Role, of user: UserID, in thread: ThreadID
    ) async throws(StoreError) -> Bool {
        try await changes(ThreadQueries.setRole(.text(role.rawValue), .text(thread.text), .text(user.text)))
    }

    package func removeMember(_ user: UserID, from thread: ThreadID) async throws(StoreError) -> Bool {
        try await changes(ThreadQueries.removeMember(.text(thread.text), .text(user.text)))
    }

    package func joinableRooms(
        prefix: String, for user: UserID, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        guard !prefix.utf8.contains(0) else { return [] }
        let call = ThreadQueries.joinableRooms(.text(prefix), .text(user.text), .int(Int64(max(limit, 0))))
        return try await rows(.account, call) { row in
            ThreadInfo(id: ThreadID(trusted: try row.text(0)), kind: .room, title: try row.text(1))
        }
    }

    // MARK: Users

    package func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        guard !users.isEmpty else { return [:] }
        let found = try await rows(.account, ThreadQueries.profiles(.texts(users.map(\.text)))) { row in
            (
                UserID(trusted: try row.text(0)),
                Profile(displayName: try row.optionalText(1), avatarURL: try row.optionalText(2))
            )
        }
        return found.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    package func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) {
        try Self.refuseNUL(in: (profile.displayName ?? "") + (profile.avatarURL ?? ""), as: "profile")
        try await run(
            .account,
            ThreadQueries.setProfile(.text(profile.displayName), .text(profile.avatarURL), .text(user.text)))
    }

    package func revokeSessions(
        of user: UserID, except kept: TokenHash?
    ) async throws(StoreError) -> [TokenHash] {
        try await rows(.account, ThreadQueries.revokeSessions(.text(user.text), .text(kept?.text ?? ""))) { row in
            TokenHash(try row.text(0))
        }
    }

    /// Runs a call that answers a row for what it has changed.
    private func changes(_ call: Call) async throws(StoreError) -> Bool {
        try await !rows(.account, call) { try $0.int(0) }.isEmpty
    }
}
