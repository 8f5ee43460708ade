package import ParleyModel

extension ModelDatabase: Directory {
    package func accounts(_ ids: [UserID]) async throws(StoreError) -> [UserID: Account] {
        try await lookUp(ids) { tables, id in
            tables.users[id].flatMap { $0.isPresent ? $0.account : nil }
        }
    }

    package func accounts(named names: [String]) async throws(StoreError) -> [String: Account] {
        try await lookUp(names) { tables, name in
            tables.user(named: name).flatMap { $0.isPresent ? $0.account : nil }
        }
    }

    package func takenNames(_ looks: [NameLook]) async throws(StoreError) -> Set<NameLook> {
        try await read(.account) { tables in Set(looks.filter { tables.isTaken($0) }) }
    }

    package func sessions(_ tokens: [TokenHash]) async throws(StoreError) -> [TokenHash: AuthSession] {
        try await lookUp(tokens) { tables, token in
            guard let row = tables.sessions[token], let user = tables.users[row.user], user.isPresent else {
                return nil
            }
            return AuthSession(
                tokenHash: token, user: user.user, expires: row.expires, suspension: user.account.suspension)
        }
    }

    package func memberships(of users: [UserID]) async throws(StoreError) -> [UserID: [Membership]] {
        try await lookUp(users) { tables, user in
            let memberships = tables.memberships(of: user)
            return memberships.isEmpty ? nil : memberships
        }
    }

    package func memberships(at places: [MemberPlace]) async throws(StoreError) -> [MemberPlace: Membership] {
        try await lookUp(places) { tables, place in tables.membership(of: place.user, in: place.thread) }
    }

    package func readStates(of users: [UserID], limit: Int) async throws(StoreError) -> [UserID: [ReadState]] {
        try await lookUp(users) { tables, user in
            let states = try tables.summaries(of: user).prefix(max(limit, 0)).map { summary in
                ReadState(
                    thread: summary.membership.thread.id, readSeq: summary.readSeq, unreadCount: summary.unreadCount)
            }
            return states.isEmpty ? nil : states
        }
    }

    package func threads(_ ids: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadInfo] {
        try await lookUp(ids) { tables, id in tables.threads[id].map { tables.info(of: $0) } }
    }

    package func rooms(titled titles: [String]) async throws(StoreError) -> [String: ThreadInfo] {
        try await lookUp(titles) { tables, title in tables.room(titled: title)?.info }
    }

    package func peers(among others: [UserID: Set<UserID>]) async throws(StoreError) -> [UserID: Set<UserID>] {
        try await read(.lookUp) { tables in
            others.reduce(into: [:]) { found, question in
                let threads = tables.threadsByMember[question.key] ?? []
                found[question.key] = question.value.filter {
                    !(tables.threadsByMember[$0] ?? []).isDisjoint(with: threads)
                        && !tables.isBlocked(question.key, $0)
                }
            }
        }
    }

    func lookUp<Key: Hashable & Sendable, Value: Sendable>(
        _ keys: [Key], _ find: @Sendable (Tables, Key) throws -> Value?
    ) async throws(StoreError) -> [Key: Value] {
        guard !keys.isEmpty else { return [:] }
        return try await read(.lookUp) { tables in
            try keys.reduce(into: [:]) { found, key in found[key] = try find(tables, key) ?? found[key] }
        }
    }
}

extension Tables {
    /// The title of a direct thread is the other user's name.
    func membership(of user: UserID, in id: ThreadID) -> Membership? {
        guard let row = member(user, of: id), let thread = threads[id] else { return nil }
        let peer = thread.peer(of: user).flatMap { users[$0]?.user }
        return Membership(
            thread: info(of: thread).with(title: peer?.name), role: row.role, peer: peer,
            mute: sanctions(of: user, in: id).mute, start: start(of: user, in: id), options: thread.details.options,
            isBlocked: thread.peer(of: user).map { isBlocked(user, $0) } ?? false)
    }

    func memberships(of user: UserID, inRoomsTitled title: String) -> [Membership] {
        memberships(of: user).filter {
            $0.thread.kind == .room && $0.thread.title.utf8.elementsEqual(title.utf8)
        }
    }

    /// In the byte order of the threads' ids.
    func memberships(of user: UserID) -> [Membership] {
        threads(of: user).compactMap { membership(of: user, in: $0) }
    }
}
