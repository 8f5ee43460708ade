import ParleyModel
import Testing

extension StoreFact {
    /// Rooms and joining them.
    static let rooms: [StoreFact] = [
        StoreFact("the first user who joins a title creates the room and owns it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let id = ThreadID(trusted: "r1")
            let info = ThreadInfo(id: id, kind: .room, title: "Tea")
            let owner = Membership(thread: info, role: .owner)
            let member = Membership(thread: info, role: .member)
            let unused = ThreadID(trusted: "r2")
            let store = fixture.store
            var joined = try await store.join(ann, roomTitled: "Tea", newID: id, at: 1).value
            #expect(joined == JoinedRoom(membership: owner, isNewMember: true))
            joined = try await store.join(bob, roomTitled: "Tea", newID: unused, at: 2).value
            #expect(joined == JoinedRoom(membership: member, isNewMember: true))
            joined = try await store.join(ann, roomTitled: "Tea", newID: unused, at: 3).value
            #expect(joined == JoinedRoom(membership: owner, isNewMember: false))
            #expect(try await store.threads([id, unused]) == [id: info])
            #expect(try await store.memberships(of: [ann.id, bob.id]) == [ann.id: [owner], bob.id: [member]])
        },
        StoreFact("titles are compared exactly") { fixture in
            let ann = try await fixture.user("ann")
            let titles = ["Tea", "tea", " Tea", "Tea ", "e\u{301}", "\u{e9}", "T%", "'", "\"", ""]
            for (number, title) in titles.enumerated() {
                let id = ThreadID(trusted: "r\(number)")
                let joined = try await fixture.store.join(ann, roomTitled: title, newID: id, at: 1).value
                #expect(joined.membership.thread.id == id, "\(title.debugDescription)")
            }
            #expect(try await fixture.store.inbox(of: ann.id).count == titles.count)
            #expect(try await fixture.store.rooms(titled: ["tea"])["tea"]?.id.text == "r1")
        },
        StoreFact("an id of another thread is refused as taken") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            await #expect(throws: StoreError.taken) {
                try await fixture.store.join(ann, roomTitled: "milk", newID: room, at: 1)
            }
            #expect(try await fixture.store.rooms(titled: ["milk"]).isEmpty)
        },
    ]

    /// Users and sessions.
    static let accounts: [StoreFact] = [
        StoreFact("a name and an id belong to one user, exactly as written") { fixture in
            let store = fixture.store
            let ann = User(id: UserID(trusted: "1"), name: "Ann")
            try await store.createUser(ann, passwordHash: "hash")
            await #expect(throws: StoreError.taken) {
                try await store.createUser(User(id: UserID(trusted: "2"), name: "Ann"), passwordHash: nil)
            }
            await #expect(throws: StoreError.taken) {
                try await store.createUser(User(id: UserID(trusted: "1"), name: "Bob"), passwordHash: nil)
            }
            let lower = User(id: UserID(trusted: "3"), name: "ann")
            try await store.createUser(lower, passwordHash: nil)
            #expect(try await store.credentials(named: "Ann") == Credentials(user: ann, passwordHash: "hash"))
            #expect(try await store.credentials(named: "ann") == Credentials(user: lower, passwordHash: nil))
            #expect(try await store.credentials(named: "ANN") == nil)
            #expect(try await store.credentials(named: "Ann\0x") == nil)
            await #expect(throws: StoreError.self) {
                try await store.createUser(User(id: UserID(trusted: "4"), name: "Cat\0x"), passwordHash: nil)
            }
            #expect(try await store.credentials(named: "Cat") == nil)
        },
        StoreFact("a password hash is replaced") { fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            _ = try await store.setPassword("new", of: ann.id, keeping: nil)
            let nobody = UserID(trusted: "nobody")
            #expect(try await store.setPassword("new", and: nil, of: nobody, keeping: nil, ifVersion: nil).value == nil)
            #expect(try await store.credentials(named: "ann")?.passwordHash == "new")
            #expect(try await store.credentials(named: "bob") == Credentials(user: bob, passwordHash: nil))
        },
        StoreFact("sessions are listed page by page without expired ones, found by prefix, and ended but one") {
            fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            // Those that expired long ago are removed. The third and the fourth expire together.
            let now: Int64 = 4_000_000_000_000
            let sessions = [("c1", 900), ("c2", 800), ("a3", 700), ("b4", 700), ("c5", 600), ("d6", 0)].map {
                AuthSession(tokenHash: TokenHash($0.0), user: ann, expires: now + $0.1)
            }
            for session in sessions.reversed() { try await store.createSession(session) }
            let other = AuthSession(tokenHash: TokenHash("c9"), user: bob, expires: now + 650)
            try await store.createSession(other)
            var (listed, place): ([AuthSession], SessionPlace?) = ([], nil)
            for _ in 0..<4 {
                let page = try await store.sessions(of: ann, at: now, after: place, limit: 2)
                listed += page
                place = page.last.map { SessionPlace(expires: $0.expires, hash: $0.tokenHash.text) }
                if page.isEmpty { break }
            }
            #expect(listed == Array(sessions.prefix(5)))
            #expect(try await store.session(of: ann, hashPrefix: "b") == sessions[3])
            #expect(try await store.session(of: ann, hashPrefix: "c9") == nil)
            #expect(try await store.session(of: ann, hashPrefix: "\0") == nil)
            let version = try await store.snapshots(of: [ann.id])[ann.id]?.credentialsVersion
            let ended = try await store.revokeSessions(of: ann.id, keeping: TokenHash("a3")).value
            #expect(ended.map(\.text).sorted() == ["b4", "c1", "c2", "c5", "d6"])
            #expect(try await store.sessions(of: ann, at: now, after: nil, limit: 9) == [sessions[2]])
            #expect(try await store.sessions(of: bob, at: now, after: nil, limit: 9) == [other])
            #expect(try await store.snapshots(of: [ann.id])[ann.id]?.credentialsVersion == version)
            #expect(try await store.revokeSessions(of: ann.id, keeping: nil).value == [TokenHash("a3")])
        },
        StoreFact("a session is valid until it is revoked, and is revoked once") { fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            // One is expired; that is for the caller to check.
            let sessions = [(ann, "a1", Int64.max), (ann, "a2", 9_000_000_000_000), (bob, "b1", 1)].map {
                AuthSession(tokenHash: TokenHash($0.1), user: $0.0, expires: $0.2)
            }
            for session in sessions { try await store.createSession(session) }
            let hashes = sessions.map(\.tokenHash)
            #expect(
                try await store.sessions(hashes + hashes).values.sorted { $0.tokenHash.text < $1.tokenHash.text }
                    == sessions)
            #expect(try await store.sessions(of: ann, at: 1, after: nil, limit: 9) == [sessions[0], sessions[1]])
            let owners: [UserID?] = [
                try await store.revokeSession(hashes[0]).value, try await store.revokeSession(hashes[0]).value,
            ]
            #expect(owners == [ann.id, nil])
            #expect(try await store.sessions(hashes) == [hashes[1]: sessions[1], hashes[2]: sessions[2]])
            await #expect(throws: StoreError.taken) { try await store.createSession(sessions[1]) }
            await #expect(throws: StoreError.self) {
                let nobody = User(id: UserID(trusted: "nobody"), name: "nobody")
                try await store.createSession(AuthSession(tokenHash: TokenHash("n"), user: nobody, expires: 1))
            }
        },
    ]

    /// Lookups of many keys.
    static let lookups: [StoreFact] = [
        StoreFact("an unknown key has no entry, and no keys give no entries") { fixture in
            let store = fixture.store
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let info = ThreadInfo(id: room, kind: .room, title: "tea")
            let nobody = UserID(trusted: "nobody")
            #expect(try await store.users([ann.id, nobody, ann.id]) == [ann.id: ann])
            #expect(try await store.users(named: ["ann", "Ann", "ann "]) == ["ann": ann])
            #expect(try await store.threads([room, ThreadID(trusted: "none")]) == [room: info])
            #expect(try await store.rooms(titled: ["tea", "milk"]) == ["tea": info])
            let memberships = try await store.memberships(of: [ann.id, nobody, ann.id])
            #expect(memberships[ann.id] == [Membership(thread: info, role: .owner)])
            #expect(memberships[nobody, default: []].isEmpty)
            let own = MemberPlace(user: ann.id, thread: room)
            let others = [
                own, MemberPlace(user: nobody, thread: room),
                MemberPlace(user: ann.id, thread: ThreadID(trusted: "none")),
            ]
            #expect(try await store.memberships(at: others) == [own: Membership(thread: info, role: .owner)])
            #expect(try await store.memberships(at: []).isEmpty)
            #expect(try await store.users([]).isEmpty)
            #expect(try await store.users(named: []).isEmpty)
            #expect(try await store.sessions([]).isEmpty)
            #expect(try await store.memberships(of: []).isEmpty)
            #expect(try await store.threads([]).isEmpty)
            #expect(try await store.rooms(titled: []).isEmpty)
        },
        StoreFact("names of every kind are found") { fixture in
            let names = ["\"", "\\", "'", "[\"ann\"]", "\u{1}\n", "👩‍👩‍👧", "e\u{301}", "%", "null", "1", " "]
            for (number, name) in names.enumerated() {
                let user = User(id: UserID(trusted: "u\(number)"), name: name)
                try await fixture.store.createUser(user, passwordHash: nil)
            }
            let found = try await fixture.store.users(named: names)
            #expect(found.count == names.count)
            for (number, name) in names.enumerated() { #expect(found[name]?.id.text == "u\(number)") }
        },
        StoreFact("a lookup takes ten thousand keys") { fixture in
            let ann = try await fixture.user("ann")
            let keys = (0..<10_000).map { "key-\($0)" }
            #expect(try await fixture.store.users(named: keys + ["ann"]) == ["ann": ann])
            #expect(try await fixture.store.users(keys.map { UserID(trusted: $0) } + [ann.id]) == [ann.id: ann])
            #expect(try await fixture.store.sessions(keys.map { TokenHash($0) }).isEmpty)
            #expect(try await fixture.store.memberships(of: keys.map { UserID(trusted: $0) }).isEmpty)
        },
        StoreFact("peers are the users of shared threads, including direct ones") { fixture in
            let (ann, bob, cat, dan, eve) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat"),
                try await fixture.user("dan"), try await fixture.user("eve")
            )
            _ = try await fixture.room("tea", ann, bob)
            _ = try await fixture.room("milk", bob, cat)
            try await fixture.write(fixture.direct("hi", from: dan, to: ann))
            let (store, all) = (fixture.store, Set([ann, bob, cat, dan, eve].map(\.id)))
            let nobody = UserID(trusted: "u-nobody")
            let shared = try await store.peers(
                among: [
                    ann.id: all.union([nobody]), bob.id: all, cat.id: [ann.id, dan.id], eve.id: all, nobody: all,
                    dan.id: [],
                ])
            #expect(
                shared.filter { !$0.value.isEmpty } == [
                    ann.id: [ann.id, bob.id, dan.id], bob.id: [ann.id, bob.id, cat.id],
                ])
            #expect(try await store.peers(among: [:]).isEmpty)
            let many = Set((0..<5000).map { UserID(trusted: "key-\($0)") })
            #expect(try await store.peers(among: [ann.id: many.union([dan.id])]) == [ann.id: [dan.id]])
        },
        StoreFact("a direct thread is found by its id, never by a title") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            try await fixture.write(fixture.direct("hi", from: ann, to: bob))
            let id = ThreadInfo.directID(ann.id, bob.id)
            #expect(try await fixture.store.threads([id]) == [id: ThreadInfo(id: id, kind: .direct, title: "")])
            #expect(try await fixture.store.rooms(titled: ["", "ann", "bob"]).isEmpty)
        },
    ]
}
