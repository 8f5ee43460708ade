package import ParleyModel
import ParleyStorage

extension PostgresStore: ThreadAdministration {
    package func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Set<UserID>? {
        let pair = Set([user.text, other.text]).sorted()
        return try await pool.perform(.account) { connection in
            var pipeline = Pipeline(Statement.begin())
            let users = pipeline.add(ThreadQueries.users(.texts(pair)))
            guard try connection.run(pipeline).count(users) == pair.count else {
                try connection.run(Pipeline(Statement.commit()))
                return nil
            }
            let (id, role) = (Parameter.text(thread.text), Parameter.text(Membership.Role.member.rawValue))
            pipeline = Pipeline()
            let insertion = pipeline.add(
                ThreadQueries.insertDirectThread(id, .text(pair.first), .text(pair.last), .int(milliseconds)))
            pipeline.add(Locks.cursorsOfThread(id))
            let isNew = try connection.run(pipeline).count(insertion) == 1
            pipeline = Pipeline()
            let members = (isNew ? pair : [user.text]).map { member in
                (
                    id: UserID(trusted: member),
                    added: pipeline.add(
                        AccountQueries.insertMember(
                            id, .text(member), role, .int(milliseconds), .int(0)))
                )
            }
            pipeline.add(Statement.commit())
            let replies = try connection.run(pipeline)
            return Set(members.filter { replies.count($0.added) == 1 }.map(\.id))
        }
    }

    package func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        let call = ThreadQueries.members(.text(thread.text), .text(user?.text ?? ""), .int(Int64(max(limit, 0))))
        return try await rows(.list, call) { row in
            Member(
                user: User(id: UserID(trusted: try row.text(0)), name: try row.text(1)),
                role: try Membership.Role(stored: row.text(2)),
                profile: Profile(displayName: try row.optionalText(3), avatarURL: try row.optionalText(4)),
                readSeq: try row.int(5), readMilliseconds: try row.optionalInt(6))
        }
    }

    package func sanctions(
        in thread: ThreadID, at now: Int64, after place: SanctionPlace?, limit: Int
    ) async throws(StoreError) -> [SanctionRecord] {
        try await rows(
            .list,
            SanctionQueries.page(
                .text(thread.text), .int(now), .text(place?.user.text ?? ""), .text(place?.kind.rawValue ?? ""),
                .int(Int64(max(limit, 0)))))
    }

    package func joinableRooms(
        prefix: String, for user: UserID, at now: Int64, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        guard !prefix.utf8.contains(0) else { return [] }
        let call = ThreadQueries.joinableRooms(
            .text(prefix), .text(user.text), .int(Int64(max(limit, 0))), .int(now))
        return try await rows(.list, call) { row in
            try row.threadInfo(0)
        }
    }

    package func history(of thread: ThreadID) async throws(StoreError) -> RoomHistory? {
        try await rows(.list, StateQueries.history(.text(thread.text))).first
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
        let set = try Self.setProfile(profile, of: user)
        return try await change { transaction in
            var pipeline = Pipeline(Statement.begin())
            let changed = pipeline.add(set)
            let isSet = try transaction.connection.run(pipeline).count(changed) == 1
            pipeline = Pipeline()
            if isSet {
                pipeline.add(AuditQueries.insertion(of: AuditRules.profileSet(user), at: transaction.now))
            }
            pipeline.add(Statement.commit())
            try transaction.connection.run(pipeline)
            return isSet
        }
    }

    static func setProfile(_ profile: Profile, of user: UserID) throws(StoreError) -> TypedCall<Void> {
        try StoredText.refuseNUL(in: (profile.displayName ?? "") + (profile.avatarURL ?? ""), as: "profile")
        return AttachmentQueries.setProfile(
            .text(profile.displayName), .text(profile.avatarURL), .text(user.text), .text(profile.avatar?.text))
    }
}
