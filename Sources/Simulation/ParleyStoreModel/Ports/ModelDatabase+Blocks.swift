package import ParleyModel

/// Blocks between users, and the details of rooms.
extension ModelDatabase {
    package func block(
        _ other: UserID, by user: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> BlockOutcome {
        try await write(.account) { tables, _ in
            guard tables.isPresent(user), tables.isPresent(other) else { return .unknownUser }
            if let since = tables.blocks[user]?[other] { return .blocked(since: since) }
            guard tables.blocks[user]?.count ?? 0 < UserBlocks.most else { return .tooMany }
            tables.blocks[user, default: [:]][other] = milliseconds
            tables.raise(user)
            tables.raise(other)
            return .blocked(since: milliseconds)
        }
    }

    package func unblock(_ other: UserID, by user: UserID) async throws(StoreError) -> Bool {
        try await write(.account) { tables, _ in
            guard tables.blocks[user]?.removeValue(forKey: other) != nil else { return false }
            tables.raise(user)
            tables.raise(other)
            return true
        }
    }

    package func blocks(of user: UserID) async throws(StoreError) -> [BlockRecord] {
        try await read(.page) { tables in
            (tables.blocks[user] ?? [:]).sorted { $0.key.text < $1.key.text }.compactMap { other, since in
                tables.users[other].map { BlockRecord(user: $0.user, since: since) }
            }
        }
    }

    package func blocks(
        of users: [UserID], against others: [UserID]
    ) async throws(StoreError) -> [UserID: Set<UserID>] {
        try await read(.lookUp) { tables in
            users.reduce(into: [:]) { blocks, user in
                let made = Set(others).filter { tables.blocks[user]?[$0] != nil }
                if !made.isEmpty { blocks[user] = made }
            }
        }
    }

    package func isBlocked(_ one: UserID, _ other: UserID) async throws(StoreError) -> Bool {
        try await read(.lookUp) { $0.isBlocked(one, other) }
    }

    package func details(of thread: ThreadID) async throws(StoreError) -> RoomDetails? {
        try await read(.page) { tables in
            tables.threads[thread].flatMap { $0.kind == .direct ? nil : $0.details }
        }
    }
}

extension Tables {
    /// Whether one of two users blocks the other.
    func isBlocked(_ one: UserID, _ other: UserID) -> Bool {
        blocks[one]?[other] != nil || blocks[other]?[one] != nil
    }

    func blocks(of user: UserID) -> UserBlocks {
        guard !blocks.isEmpty else { return .none }
        return UserBlocks(
            made: Set((blocks[user] ?? [:]).keys), suffered: Set(blocks.filter { $0.value[user] != nil }.keys))
    }

    /// Ends all blocks of an erased user.
    mutating func endBlocks(of user: UserID) {
        for other in (blocks.removeValue(forKey: user) ?? [:]).keys { raise(other) }
        for (other, made) in blocks where made[user] != nil {
            blocks[other]?[user] = nil
            raise(other)
        }
    }

    mutating func setRoom(_ details: RoomDetails, of id: ThreadID) {
        guard let row = threads[id], row.kind != .direct, row.details != details else { return }
        threads[id]?.details = details
        raise(room: id)
    }

    mutating func setPicture(_ picture: AttachmentID?, of thread: ThreadID, at now: Int64) {
        let use = AttachmentUse.picture(of: thread)
        endUses(use)
        guard let picture else { return }
        attachments[picture]?.due = nil
        uses[picture, default: [:]][use] = UseRow(recipient: nil, created: now, check: nil)
        attachmentsByUse[use, default: []].insert(picture)
    }

    /// Takes an attachment that is being removed from a room whose picture it is.
    mutating func forgetPicture(_ picture: AttachmentID, of thread: ThreadID) {
        guard var details = threads[thread]?.details, details.options.picture == picture else { return }
        details.options.picture = nil
        details.options.changes += 1
        setRoom(details, of: thread)
    }
}
