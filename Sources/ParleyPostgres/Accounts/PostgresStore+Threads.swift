package import ParleyModel
import ParleyStorage

extension PostgresStore: ThreadAdministration {
    package func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Set<UserID>? {
        let pair = Set([user.text, other.text]).sorted()
        return try await pool.perform(.account) { connection in
            let users = try connection.run([Statement.begin(), ThreadQueries.users(.texts(pair))])[1]
            guard users.count == pair.count else {
                try connection.run([Statement.commit()])
                return nil
            }
            let (id, role) = (Parameter.text(thread.text), Parameter.text(Membership.Role.member.rawValue))
            let insertion = ThreadQueries.insertDirectThread(
                id, .text(pair[0]), .text(pair[pair.count - 1]), .int(milliseconds))
            let isNew = try connection.run([insertion, Locks.cursorsOfThread(id)])[0].count == 1
            let members = isNew ? pair : [user.text]
            let replies = try connection.run(
                members.map { AccountQueries.insertMember(id, .text($0), role, .int(milliseconds)) } + [
                    Statement.commit()
                ])
            return Set(zip(members, replies).filter { $0.1.count == 1 }.map { UserID(trusted: $0.0) })
        }
    }

    package func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        let call = ThreadQueries.members(.text(thread.text), .text(user?.text ?? ""), .int(Int64(max(limit, 0))))
        return try await rows(.list, call) { row in
            Member(
                user: User(id: UserID(trusted: try row.text(0)), name: try row.text(1)),
                role: try Membership.Role(stored: row.text(2)))
        }
    }

    package func joinableRooms(
        prefix: String, for user: UserID, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        guard !prefix.utf8.contains(0) else { return [] }
        let call = ThreadQueries.joinableRooms(.text(prefix), .text(user.text), .int(Int64(max(limit, 0))))
        return try await rows(.list, call) { row in
            ThreadInfo(id: ThreadID(trusted: try row.text(0)), kind: .room, title: try row.text(1))
        }
    }

    // MARK: Users

    package func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        guard !users.isEmpty else { return [:] }
        let found = try await rows(.list, ThreadQueries.profiles(.texts(users.map(\.text)))) { row in
            (
                UserID(trusted: try row.text(0)),
                Profile(displayName: try row.optionalText(1), avatarURL: try row.optionalText(2))
            )
        }
        return found.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    package func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) -> Bool {
        try await rows(.account, Self.setProfile(profile, of: user)).count == 1
    }

    static func setProfile(_ profile: Profile, of user: UserID) throws(StoreError) -> TypedCall<Void> {
        try StoredText.refuseNUL(in: (profile.displayName ?? "") + (profile.avatarURL ?? ""), as: "profile")
        return AttachmentQueries.setProfile(
            .text(profile.displayName), .text(profile.avatarURL), .text(user.text), .text(profile.avatar?.text))
    }
}
