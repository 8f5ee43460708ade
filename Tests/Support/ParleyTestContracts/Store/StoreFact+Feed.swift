import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Versions, and the change feed.
    static let feed: [StoreFact] = [
        StoreFact("each kind of change raises the versions of the users concerned, and nothing else does") { fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = ThreadID(trusted: "r-tea")
            func raises(
                _ what: String, _ users: [User], credentials: [User] = [], _ change: () async throws -> Void
            ) async throws {
                let of = [ann.id, bob.id]
                try await fixture.expect(what, raises: users, credentials: credentials, of: of, by: change)
            }
            try await raises("join", [ann]) { _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1) }
            try await raises("again", []) { _ = try await store.join(ann, roomTitled: "tea", newID: room, at: 1) }
            try await raises("import", [bob]) {
                _ = try await store.importRecords([.member(thread: room, user: "bob", role: nil)], at: 2)
            }
            try await raises("messages", []) {
                let message = fixture.message("one", from: ann, in: room)
                try await fixture.write(message, fixture.message("two", from: bob, in: room))
                try await store.markRead(room, by: bob.id, through: nil)
                try await store.markRead(room, by: ann.id, through: 1)
                try await fixture.write(fixture.edit(message, "three", by: ann))
            }
            try await raises("role", [bob]) {
                _ = try await store.setMember(bob, of: room, role: .moderator, by: ann.id, at: 3, authorize: anyone)
            }
            try await raises("same role", []) {
                _ = try await store.setMember(bob, of: room, role: .moderator, by: ann.id, at: 3, authorize: anyone)
            }
            try await fixture.forgetOutbox()
            try await raises("left", [bob]) {
                _ = try await store.removeMember(bob, from: room, by: ann.id, at: 3, authorize: anyone)
            }
            try await raises("events about members", []) {
                try await fixture.write(fixture.joined(bob, in: room), fixture.event(.left(ann, by: ann.id), in: room))
            }
            try await raises("direct message", [ann, bob]) {
                try await fixture.write(fixture.direct("hello", from: ann, to: bob))
            }
            try await raises("title", []) {
                _ = try await store.rename(room, to: "milk", by: ann.id, at: 4, authorize: anyone)
            }
            try await raises("profile", []) {
                _ = try await store.setProfile(Profile(displayName: "Ann", avatarURL: nil), of: ann.id)
            }
            let sessions = ["a1", "a2", "a3", "a4"].map {
                AuthSession(tokenHash: TokenHash($0), user: ann, expires: .max)
            }
            try await raises("login", []) { for session in sessions { try await store.createSession(session) } }
            try await raises("logout", [ann]) {
                let ended = try await store.revokeSession(TokenHash("a1"))
                #expect(ended.value == ann.id)
            }
            try await raises("no logout", []) {
                let ended = try await store.revokeSession(TokenHash("a1"))
                #expect(ended.value == nil)
            }
            try await raises("password", [ann], credentials: [ann]) {
                let ended = try await store.setPassword("h1", of: ann.id, keeping: TokenHash("a3"))
                #expect(Set(ended.value) == [TokenHash("a2"), TokenHash("a4")])
            }
            try await raises("same password", [ann], credentials: [ann]) {
                let ended = try await store.setPassword("h1", of: ann.id, keeping: TokenHash("a3"))
                #expect(ended.value.isEmpty)
            }
            try await raises("password of an old node", [ann], credentials: [ann]) {
                try await fixture.database.apply(.setPasswordHash("h2", of: ann.id))
            }
            try await raises("revocation", [ann], credentials: [ann]) {
                let ended = try await store.revokeAll(of: ann.id)
                #expect(ended.value == [TokenHash("a3")])
            }
            try await raises("operator", [ann]) { _ = try await store.setOperator(true, of: ann.id, at: 5) }
            try await raises("operator already", []) { _ = try await store.setOperator(true, of: ann.id, at: 6) }
            try await raises("operator no more", [ann]) { _ = try await store.setOperator(false, of: ann.id, at: 7) }
            try await raises("no operator", []) { _ = try await store.setOperator(false, of: ann.id, at: 8) }
            try await raises("deleted thread", [ann]) {
                _ = try await store.deleteThread(room, by: ann.id, authorize: anyone)
            }
            try await raises("erasure", [bob]) { _ = try await store.eraseUser(bob.id, at: 5) }
        },
        StoreFact("another name or picture is in the feed once, apart from what concerns rights") { fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            var mark = try await store.changes(since: nil, limit: 9).mark
            func profiles(_ change: () async throws -> Void) async throws -> [UserID] {
                try await change()
                let page = try await store.changes(since: mark, limit: 9)
                mark = page.mark
                return page.profiles
            }
            func set(_ profile: Profile) async throws -> [UserID] {
                try await profiles {
                    let isSet = try await store.setProfile(profile, of: ann.id)
                    #expect(isSet)
                }
            }
            #expect(try await set(Profile(displayName: "Ann")) == [ann.id])
            #expect(try await store.snapshots(of: [ann.id])[ann.id]?.displayName == "Ann")
            #expect(try await set(Profile(displayName: "Ann")).isEmpty)
            #expect(try await set(Profile(displayName: "ANN")) == [ann.id])
            #expect(try await set(Profile(displayName: "ANN", avatarURL: "https://a.example/1.png")) == [ann.id])
            #expect(try await set(Profile(avatarURL: "https://a.example/1.png")) == [ann.id])
            #expect(try await set(Profile(displayName: "ann")) == [ann.id])
            #expect(try await store.snapshots(of: [ann.id, bob.id]).values.allSatisfy { $0.displayName == nil })
            let password = try await profiles {
                _ = try await store.setPassword(
                    "h", and: Profile(displayName: "Anna"), of: ann.id, keeping: nil, ifVersion: nil)
            }
            #expect(password == [ann.id])
            let joined = try await profiles { _ = try await fixture.room("tea", ann, bob) }
            #expect(joined.isEmpty)
            let erased = try await profiles { _ = try await store.eraseUser(ann.id, at: 1) }
            #expect(erased.isEmpty)
        },
        StoreFact("a created or deleted API key is in the feed") { fixture in
            let mark = try await fixture.store.changes(since: nil, limit: 9).mark
            let key = APIKeyRecord(name: "site", hash: TokenHash("abc"), created: 1)
            try await fixture.store.createAPIKey(key)
            let made = try await fixture.store.changes(since: mark, limit: 9)
            #expect(made.apiKeys == [key.hash])
            #expect(made.users.isEmpty)
            _ = try await fixture.store.revokeAPIKey(named: "site")
            #expect(try await fixture.store.changes(since: made.mark, limit: 9).apiKeys == [key.hash])
        },
        StoreFact("a feed read in pages is complete, including changes made meanwhile") { fixture in
            let store = fixture.store
            var users: [User] = []
            for number in 0..<25 { users.append(try await fixture.user("user-\(number)")) }
            let begin = try await store.changes(since: nil, limit: 1)
            #expect(begin.users.isEmpty && !begin.hasMore && !begin.isReset)
            for user in users { _ = try await fixture.room("tea", user) }
            var (mark, reported): (ChangeMark, [UserID]) = (begin.mark, [])
            for pages in 1... {
                let page = try await store.changes(since: mark, limit: 10)
                #expect(page.users.count <= 10)
                reported += page.users
                mark = page.mark
                // A user who was already reported changes again.
                if pages == 1, let first = page.users.first {
                    _ = try await store.revokeAll(of: first)
                    #expect(page.hasMore)
                }
                guard page.hasMore else { break }
                try #require(pages < 9)
            }
            let late = try await store.changes(since: mark, limit: 10)
            #expect(Set(reported) == Set(users.map(\.id)))
            let twice = try #require(reported.first)
            #expect((reported + late.users).count { $0 == twice } >= 2)
            #expect(try await store.changes(since: late.mark, limit: 10).users.isEmpty)
        },
        StoreFact("a mark of another store restarts the feed") { fixture in
            let ann = try await fixture.user("ann")
            let own = try await fixture.store.changes(since: nil, limit: 9).mark
            _ = try await fixture.room("tea", ann)
            for text in ["", "x", "|", "other|3", "other|1:1:||0|", "0" + own.text] {
                let page = try await fixture.store.changes(since: ChangeMark(text), limit: 9)
                #expect(page.isReset)
                #expect(page.users.isEmpty)
                let next = try await fixture.store.changes(since: page.mark, limit: 9)
                #expect(!next.isReset)
                #expect(next.users.isEmpty)
            }
        },
        StoreFact("snapshots cover hundreds of users, without those erased or unknown") { fixture in
            let store = fixture.store
            var users: [User] = []
            for number in 0..<300 { users.append(try await fixture.user("user-\(number)")) }
            let rooms = ["tea", "milk"].map { ThreadID(trusted: "r-\($0)") }
            var records: [ImportRecord] = [.room(id: rooms[0], title: "tea"), .room(id: rooms[1], title: "milk")]
            for user in users.dropLast() {
                records += rooms.map { .member(thread: $0, user: UserReference(id: user.id), role: nil) }
            }
            _ = try await store.importRecords(records, at: 1)
            try await fixture.write(fixture.direct("hello", from: users[0], to: users[1]))
            _ = try await store.eraseUser(users[2].id, at: 2)
            let ghost = UserID(trusted: "u-ghost")
            let found = try await store.snapshots(of: users.map(\.id) + [ghost, users[0].id])
            #expect(Set(found.keys) == Set(users.map(\.id)).subtracting([users[2].id]))
            let memberships = try await store.memberships(of: users.map(\.id))
            for (id, snapshot) in found {
                #expect(snapshot.user.id == id)
                #expect(Set(snapshot.memberships) == Set(memberships[id] ?? []))
                #expect(snapshot.credentialsVersion == 0)
            }
            #expect(found[users[0].id]?.memberships.count == 3)
            #expect(found[users[299].id]?.memberships == [])
            #expect(found[users[299].id]?.version == 0)
            #expect(try await store.snapshots(of: []).isEmpty)
        },
    ]
}

extension StoreFixture {
    /// Checks that a change raises the versions of `users`, voids the credentials of those given, and is in the feed
    /// once.
    func expect(
        _ what: String, raises users: [User], credentials: [User], of all: [UserID],
        by change: () async throws -> Void
    ) async throws {
        let before = try await store.snapshots(of: all)
        let begin = try await store.changes(since: nil, limit: 9)
        try await change()
        let after = try await store.snapshots(of: all)
        for (id, old) in before {
            guard let new = after[id] else { continue }
            let (isRaised, isVoid) = (new.version > old.version, new.credentialsVersion > old.credentialsVersion)
            #expect(isRaised == users.contains { $0.id == id }, "\(what): \(id)")
            #expect(isVoid == credentials.contains { $0.id == id }, "\(what): \(id)")
        }
        let page = try await store.changes(since: begin.mark, limit: 9)
        #expect(Set(page.users) == Set(users.map(\.id)), "\(what)")
        #expect(!page.isReset && !page.hasMore)
        let next = try await store.changes(since: page.mark, limit: 9)
        #expect(next.users.isEmpty, "\(what)")
    }
}
