package import ParleyModel
import ParleyStorage

extension ModelDatabase: ThreadAdministration {
    package func openDirect(
        _ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> Set<UserID>? {
        try await write(.account) { tables, _ in
            guard tables.isPresent(user), tables.isPresent(other) else { return nil }
            try tables.checkRemains(of: thread)
            let pair = [user, other].sorted { $0.text < $1.text }
            let isNew = tables.insertThread(ThreadRow(id: thread, pair: (pair[0], pair[1])))
            let members = isNew ? Set(pair) : [user]
            return members.filter { tables.insertMember($0, of: thread, .member, at: milliseconds) }
        }
    }

    package func members(
        of thread: ThreadID, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [Member] {
        try await read(.page) { tables in
            let rows = (tables.members[thread] ?? [:]).filter { $0.key.text > user?.text ?? "" }
                .sorted { $0.key.text < $1.key.text }
            return rows.prefix(max(limit, 0)).compactMap { id, row in
                tables.users[id].map {
                    Member(
                        user: $0.user, role: row.role,
                        profile: Profile(displayName: $0.displayName, avatarURL: $0.avatarURL), readSeq: row.readSeq,
                        readMilliseconds: row.readMilliseconds)
                }
            }
        }
    }

    package func sanctions(
        in thread: ThreadID, at now: Int64, after place: SanctionPlace?, limit: Int
    ) async throws(StoreError) -> [SanctionRecord] {
        try await read(.page) { tables in
            let first = (place?.user.text ?? "", place?.kind.rawValue ?? "")
            let records = tables.sanctions.lazy.filter { $0.key.thread == thread }.flatMap { place, rows in
                rows.values.compactMap { row in
                    tables.users[place.user].map {
                        SanctionRecord(user: $0.user, sanction: row.sanction, author: row.author, since: row.since)
                    }
                }
            }
            let standing = records.filter { $0.sanction.isInForce(at: now) && $0.place > first }
            return Array(standing.sorted { $0.place < $1.place }.prefix(max(limit, 0)))
        }
    }

    package func joinableRooms(
        prefix: String, for user: UserID, at now: Int64, limit: Int
    ) async throws(StoreError) -> [ThreadInfo] {
        try await read(.page) { tables in
            let rooms = tables.rooms(prefix: prefix).lazy.filter { room in
                room.visibility == .public && !tables.isMember(user, of: room.id)
                    && tables.restrictions[MemberPlace(user: user, thread: room.id)]?.isRemoved != true
                    && !tables.isBanned(user, from: room.id, at: now)
            }
            return Array(rooms.prefix(max(limit, 0)))
        }
    }

    package func history(of thread: ThreadID) async throws(StoreError) -> RoomHistory? {
        try await read(.page) { tables in
            tables.threads[thread].flatMap { $0.kind == .direct ? nil : $0.history }
        }
    }

    // MARK: Users

    package func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile] {
        try await lookUp(users) { tables, user in
            guard let row = tables.users[user], row.isPresent, row.displayName ?? row.avatarURL != nil else {
                return nil
            }
            return Profile(displayName: row.displayName, avatarURL: row.avatarURL)
        }
    }

    package func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) -> Bool {
        try profile.refuseNUL()
        return try await write(.account) { tables, context in tables.setProfile(profile, of: user, at: context.now) }
    }
}

extension SanctionRecord {
    /// The position in the list.
    fileprivate var place: (user: String, kind: String) { (user.id.text, sanction.kind.rawValue) }
}

extension Profile {
    func refuseNUL() throws(StoreError) {
        try StoredText.refuseNUL(in: (displayName ?? "") + (avatarURL ?? ""), as: "profile")
    }
}

extension Tables {
    /// Whether a profile can be set: its picture is a complete attachment of the user's own, or not an attachment.
    func allows(_ profile: Profile, of user: UserID) -> Bool {
        guard isPresent(user) else { return false }
        guard let avatar = profile.avatar else { return true }
        guard let row = attachments[avatar] else { return false }
        return row.attachment.owner == user && row.attachment.isComplete && !row.isRemoving
    }

    /// - Returns: whether it is set; nothing is changed otherwise.
    mutating func setProfile(_ profile: Profile, of user: UserID, at milliseconds: Int64) -> Bool {
        guard allows(profile, of: user) else { return false }
        let old = Profile(avatarURL: users[user]?.avatarURL).avatar
        if let avatar = profile.avatar { attachments[avatar]?.due = nil }
        if let old, old != profile.avatar, let row = attachments[old], row.attachment.owner == user, !row.isRemoving {
            attachments[old]?.due = 0
        }
        updateUser(user) { ($0.displayName, $0.avatarURL) = (profile.displayName, profile.avatarURL) }
        note(AuditRules.profileSet(user), at: milliseconds)
        return true
    }
}
