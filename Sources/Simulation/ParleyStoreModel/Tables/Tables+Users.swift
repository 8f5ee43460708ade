import ParleyModel

extension Tables {
    func isErased(_ user: UserID) -> Bool { users[user]?.erased != nil }
    /// Whether a user exists and is not erased.
    func isPresent(_ user: UserID) -> Bool { users[user]?.isPresent == true }
    /// Whether the erasure of a user is in progress, so that rows may still hold texts and names that readers must not
    /// show.
    func isErasing(_ user: UserID) -> Bool { cleanups[.user(user)] != nil }

    func user(named name: String) -> UserRow? { usersByName[ByteText(name)].flatMap { users[$0] } }

    /// Whether a user has a look; names of ASCII characters are compared in lower case only.
    func isTaken(_ look: NameLook) -> Bool {
        users.values.contains { row in
            guard row.looks.contains(where: { look.keys.contains($0) }) else { return false }
            guard let plain = look.plain, row.name.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
            return row.name.lowercased() == plain
        }
    }

    /// - Returns: whether the id and the name were free.
    mutating func insertUser(_ row: UserRow) -> Bool {
        guard users[row.id] == nil, usersByName[ByteText(row.name)] == nil else { return false }
        users[row.id] = row
        usersByName[ByteText(row.name)] = row.id
        return true
    }

    /// Changes a user, with the effects of the triggers of `users`.
    mutating func updateUser(_ id: UserID, _ change: (inout UserRow) -> Void) {
        guard let before = users[id] else { return }
        var after = before
        change(&after)
        if before.passwordHash != after.passwordHash || before.erased != after.erased,
            before.credentialsVersion == after.credentialsVersion
        {
            after.credentialsVersion += 1
        }
        users[id] = after
        if before.credentialsVersion != after.credentialsVersion {
            endDevices(of: id, isErased: after.erased != nil)
            if after.erased != nil { notificationSettings[id] = nil }
        }
        if ByteText(before.name) != ByteText(after.name) {
            usersByName[ByteText(before.name)] = nil
            usersByName[ByteText(after.name)] = id
        }
        if ByteText(before.name) != ByteText(after.name) || before.passwordHash != after.passwordHash
            || before.erased != after.erased || before.credentialsVersion != after.credentialsVersion
            || before.operatorSince != after.operatorSince || before.suspension != after.suspension
        {
            raise(id)
        }
        let hasProfileChanged =
            ByteText(before.name) != ByteText(after.name)
            || before.displayName.map(ByteText.init) != after.displayName.map(ByteText.init)
            || before.avatarURL.map(ByteText.init) != after.avatarURL.map(ByteText.init)
        if after.erased == nil, hasProfileChanged { raise(profileOf: id) }
        if before.erased == nil, after.erased != nil { noteErasure(of: id) }
    }

    private mutating func noteErasure(of user: UserID) {
        forgetRejects { $0.user == user }
        for place in restrictions.keys where place.user == user { restrictions[place] = nil }
        endSanctions { $0.user == user }
        endEntrances(of: user)
        endBlocks(of: user)
        for id in attachmentsByOwner[user] ?? [] {
            attachments[id]?.due = 0
            attachments[id]?.attachment.name = ""
        }
    }

    // MARK: Sessions

    mutating func insertSession(_ token: TokenHash, _ row: SessionRow) {
        sessions[token] = row
        sessionsByUser[row.user, default: []].insert(token)
    }

    mutating func deleteSession(_ token: TokenHash) -> UserID? {
        guard let row = sessions.removeValue(forKey: token) else { return nil }
        sessionsByUser[row.user]?.remove(token)
        endDevices(of: token)
        raise(row.user)
        return row.user
    }

    /// Ends the sessions of a user except one.
    /// - Returns: the ended ones, in the order of their hashes.
    mutating func deleteSessions(of user: UserID, except kept: TokenHash?) -> [TokenHash] {
        let ended = (sessionsByUser[user] ?? []).filter { $0 != kept }.sorted { $0.text < $1.text }
        for token in ended { _ = deleteSession(token) }
        return ended
    }
}
