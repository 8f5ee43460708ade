import ParleyModel
import ParleyTestContracts
import ParleyTestSupport

extension StorePairRun {
    mutating func addUser() async throws {
        let isNew = users.isEmpty || !isOneOf(10)
        let id = isNew ? UserID(trusted: "u\(number())") : user().id
        let new = User(id: id, name: isOneOf(4) ? userName() : "user \(id)")
        let origin = pick(AccountOrigin.allCases)
        let hash = isOneOf(2) ? "hash" : nil
        let isAdded = try await pair.ask("createUser \(new)") { store in
            try await store.createUser(new, passwordHash: hash, origin: origin)
            return true
        }
        if isAdded == true { users.append(new) }
        if users.isEmpty { try await addUser() }
    }

    mutating func changeAccount() async throws {
        let (user, milliseconds) = (user(), milliseconds)
        switch roll(9) {
        case 0: try await addUser()
        case ..<3: try await addSession(of: user)
        case 3:
            guard let token = pickRecent(tokens) else { return }
            let actor: AuditActor? = isOneOf(2) ? .command : nil
            try await pair.change("revokeSession") { try await $0.revokeSession(token, by: actor) }
        case 4:
            let kept = isOneOf(2) ? pickRecent(tokens) : nil
            let isAll = isOneOf(2)
            try await pair.change("revokeSessions of \(user)") { store in
                var change =
                    isAll
                    ? try await store.revokeAll(of: user.id)
                    : try await store.revokeSessions(of: user.id, keeping: kept)
                change.value.sort { $0.text < $1.text }
                return change
            }
        case 5: try await setPassword(of: user)
        case 6:
            let isOperator = isOneOf(2)
            try await pair.change("setOperator") { try await $0.setOperator(isOperator, of: user.id, at: milliseconds) }
        case 7:
            let profile = profile()
            try await pair.ask("setProfile \(profile) of \(user)") { try await $0.setProfile(profile, of: user.id) }
        default:
            if isOneOf(2) { return try await changeNotifications() }
            if isOneOf(2) { return try await changeKeys() }
            try await importRecords()
        }
    }

    private mutating func addSession(of user: User) async throws {
        let token = TokenHash(isOneOf(12) ? pickRecent(tokens)?.text ?? "a" : "a\(number())")
        let session = AuthSession(
            tokenHash: token, user: user, expires: isOneOf(3) ? Int64(1 + roll(9)) : 9_000_000_000_000 + Int64(roll(5)))
        let isStale = isOneOf(8)
        let isAdded = try await pair.ask("createSession of \(user)") { store in
            let version = try await store.snapshots(of: [user.id])[user.id]?.credentialsVersion ?? 0
            return try await store.createSession(session, credentialsVersion: isStale ? version + 1 : version)
        }
        if isAdded == true { tokens.append(token) }
    }

    private mutating func setPassword(of user: User) async throws {
        let (hash, kept) = ("h\(number())", isOneOf(2) ? pickRecent(tokens) : nil)
        let (profile, version) = (isOneOf(3) ? profile() : nil, isOneOf(3) ? Int64(roll(3)) : nil)
        try await pair.change("setPassword of \(user)") { store in
            var change = try await store.setPassword(
                hash, and: profile, of: user.id, keeping: kept, ifVersion: version)
            change.value?.sort { $0.text < $1.text }
            return change
        }
    }

    private mutating func profile() -> Profile {
        let file = isOneOf(2) ? pickRecent(files)?.text : nil
        return Profile(
            displayName: isOneOf(2) ? "Name \(roll(3))" : nil,
            avatarURL: file.map { Attachment.pathPrefix + $0 } ?? (isOneOf(3) ? "https://example.org/a.png" : nil))
    }

    private mutating func changeKeys() async throws {
        let (name, hash, created) = ("key \(roll(5))", TokenHash("k\(roll(9))"), milliseconds)
        if isOneOf(2) {
            try await pair.ask("createAPIKey \(name)") { store in
                try await store.createAPIKey(APIKeyRecord(name: name, hash: hash, created: created))
                return true
            }
        } else {
            try await pair.ask("revokeAPIKey \(name)") { try await $0.revokeAPIKey(named: name) }
        }
        try await pair.ask("apiKeys") { try await $0.apiKeys(limit: 9) }
        try await pair.ask("apiKeys of hashes") { try await $0.apiKeys([hash, TokenHash("none")]) }
    }

    private mutating func importRecords() async throws {
        var records: [ImportRecord] = []
        for _ in 0...roll(5) {
            switch roll(3) {
            case 0:
                let known = isOneOf(2) ? user() : User(id: UserID(trusted: "u\(number())"), name: userName())
                records.append(.user(known, passwordHash: nil))
            case 1:
                let id = isOneOf(2) ? thread() : ThreadID(trusted: "r\(number())")
                let history = isOneOf(3) ? RoomHistory.sinceJoining : .all
                records.append(.room(id: id, title: title(), visibility: visibility(), history: history))
            default:
                let user = user()
                let reference = isOneOf(2) ? UserReference(id: user.id) : UserReference(name: user.name)
                records.append(.member(thread: thread(), user: reference, role: role()))
            }
        }
        let (all, milliseconds) = (records, milliseconds)
        let outcomes = try await pair.ask("importRecords \(all)") { store in
            try await store.importRecords(all, origin: .apiKey, by: .key("shop"), at: milliseconds)
        }
        for (record, outcome) in zip(all, outcomes ?? []) where outcome == .added {
            switch record {
            case .user(let user, _): users.append(user)
            case .room(let id, _, _, _): note(id)
            case .member: break
            }
        }
    }

    mutating func readAccounts() async throws {
        let (one, other, name) = (user(), user(), userName())
        let ids = [one.id, other.id, UserID(trusted: "nobody")]
        switch roll(10) {
        case 0:
            try await pair.ask("users") { try await $0.users(ids) }
            try await pair.ask("users named") { try await $0.users(named: [one.name, name, "none\0"]) }
            try await pair.ask("credentials") { try await $0.credentials(named: one.name) }
        case 1:
            try await pair.ask("operators") { try await $0.operators(limit: 5) }
            try await pair.ask("operatorStatus") { try await $0.operatorStatus(of: one.id) }
        case 2: try await pair.ask("users of prefix") { try await $0.users(prefix: "a", limit: 4) }
        case 3:
            try await pair.ask("takenNames") { try await $0.takenNames([one.name, name].map(NameLook.ofContract)) }
        case 4:
            let tokens = [pickRecent(self.tokens), pickRecent(self.tokens)].compactMap { $0 }
            try await pair.ask("sessions") { try await $0.sessions(tokens) }
            try await pair.ask("session of prefix") { try await $0.session(of: one, hashPrefix: "a1") }
            let place = isOneOf(2) ? SessionPlace(expires: 9_000_000_000_002, hash: "a5") : nil
            try await pair.ask("sessions of \(one)") { try await $0.sessions(of: one, at: 3, after: place, limit: 3) }
        case 5: try await pair.ask("profiles") { try await $0.profiles(of: ids) }
        case 6:
            try await pair.ask("peers of \(one)") {
                try await $0.peers(among: [one.id: Set(ids + [other.id])])[one.id] ?? []
            }
        case 7:
            try await pair.ask("snapshots") { store in
                try await store.snapshots(of: ids).mapValues { snapshot in
                    var snapshot = snapshot
                    snapshot.memberships.sort { $0.thread.id.text < $1.thread.id.text }
                    return snapshot
                }
            }
        case 8: try await readNotifications(of: [one, other])
        default:
            try await pair.ask("memberships") { store in
                try await store.memberships(of: ids).mapValues { $0.sorted { $0.thread.id.text < $1.thread.id.text } }
            }
            let places = [thread(), thread()].flatMap { thread in ids.map { MemberPlace(user: $0, thread: thread) } }
            try await pair.ask("memberships at places") { try await $0.memberships(at: places) }
        }
    }
}
