import ParleyAccounts
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestSupport
import Synchronization
import Testing

@Suite struct StateChangesTests {
    @Test("rights follow the stored roles, not the cached ones")
    func rights() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let changes = fixture.changes()
            let room = try await changes.join(ann, roomTitled: "Tea").membership.thread.id
            await #expect(throws: MessagingError.notAMember) {
                try await changes.setMember("cat", of: room, role: nil, by: bob)
            }
            await #expect(throws: MessagingError.notAMember) {
                try await changes.setMember("bob", of: room, role: .owner, by: bob)
            }
            #expect(try await changes.setMember("bob", of: room, role: nil, by: bob).isNew)
            _ = try await changes.setMember("bob", of: room, role: .moderator, by: ann)
            #expect(
                try await changes.setMember(UserReference(id: cat.id), of: room, role: .readOnly, by: bob).role
                    == .readOnly)
            // Another process revokes the role; this one is not notified.
            _ = try await fixture.changes().setMember("bob", of: room, role: .member, by: ann)
            await #expect(throws: MessagingError(RightsViolation.notAModerator)) {
                try await changes.removeMember("cat", from: room, by: bob)
            }
            await #expect(throws: MessagingError(RightsViolation.notTheOwner)) {
                try await changes.rename(room, to: "Milk", by: bob)
            }
            await #expect(throws: MessagingError(RightsViolation.notTheOwner)) {
                try await changes.deleteThread(room, by: bob)
            }
            await #expect(throws: MessagingError.notFound("no such user")) {
                try await changes.setMember("nobody", of: room, role: nil, by: ann)
            }
            await #expect(throws: MessagingError.notFound("no such thread")) {
                try await changes.setMember("bob", of: ThreadID(trusted: "nowhere"), role: nil, by: ann)
            }
            // An operator needs no role.
            try await changes.removeMember(ann, from: room, byOperator: nil)
            #expect(try await fixture.store.members(of: room, after: nil, limit: 10).map(\.user) == [bob, cat])
        }
    }

    @Test("who was removed is added by a moderator or an operator only; who leaves takes no role along")
    func restrictions() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let changes = fixture.changes()
            let room = try await changes.join(ann, roomTitled: "Tea").membership.thread.id
            let removed = MessagingError(RightsViolation.removed)
            func expectKeptOut(_ user: User) async {
                await #expect(throws: removed) { try await changes.join(user, roomTitled: "Tea") }
                for role in [nil, .member] as [Membership.Role?] {
                    await #expect(throws: removed) {
                        try await changes.setMember(
                            UserReference(name: user.name), of: room, role: role, by: user)
                    }
                }
            }
            // By the owner; a moderator, then an operator lifts it.
            for user in [bob, cat] { _ = try await changes.join(user, roomTitled: "Tea") }
            _ = try await changes.setMember("cat", of: room, role: .moderator, by: ann)
            try await changes.removeMember("bob", from: room, by: cat)
            await expectKeptOut(bob)
            #expect(try await changes.setMember("bob", of: room, role: nil, by: cat).role == .member)
            try await changes.removeMember(bob, from: room, byOperator: nil)
            await expectKeptOut(bob)
            #expect(try await changes.setMember(bob, of: room, role: nil, byOperator: nil).role == .member)

            // Leaving keeps read_only, and neither the owner nor a moderator remains one.
            _ = try await changes.setMember("bob", of: room, role: .readOnly, by: cat)
            for user in [ann, bob, cat] { #expect(try await changes.leave(room, user) != nil) }
            await #expect(throws: MessagingError(RightsViolation.readOnly)) {
                try await changes.setMember("bob", of: room, role: .member, by: bob)
            }
            #expect(try await changes.setMember("bob", of: room, role: nil, by: bob).role == .readOnly)
            for user in [ann, cat] {
                #expect(try await changes.join(user, roomTitled: "Tea").membership.role == .member)
            }
            // An operator who removes themselves has left.
            _ = try await changes.setMember(ann, of: room, role: .owner, byOperator: nil)
            try await changes.removeMember(ann, from: room, byOperator: ann.id)
            #expect(try await changes.join(ann, roomTitled: "Tea").isNew)
        }
    }

    @Test("changes published to members are charged as sends of the requester; back ends have no budget")
    func charged() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.changes().join(ann, roomTitled: "Tea").membership.thread.id
            let milk = try await fixture.changes().join(ann, roomTitled: "Milk").membership.thread.id
            try await fixture.persist()
            let charged = Mutex<[UserID]>([])
            let isOver = Mutex(true)
            let changes = fixture.changes { user throws(MessagingError) in
                if isOver.withLock({ $0 }) { throw .rateLimited(afterMilliseconds: 50) }
                charged.withLock { $0.append(user) }
            }
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await changes.setMember("bob", of: room, role: nil, by: ann) },
                { _ = try await changes.setMember("bob", of: room, role: .moderator, by: ann) },
                { try await changes.removeMember("bob", from: room, by: ann) },
                { _ = try await changes.setMember(bob, of: room, role: nil, byOperator: ann.id) },
                { try await changes.removeMember(bob, from: room, byOperator: ann.id) },
                { try await changes.rename(room, to: "Coffee", by: ann) },
                { _ = try await changes.openDirect(ann, with: "bob") },
                { try await changes.deleteThread(milk, by: ann) },
                { try await changes.removeMember("ann", from: room, by: ann) },
            ]
            for call in calls {
                await #expect(throws: MessagingError.rateLimited(afterMilliseconds: 50)) { try await call() }
            }
            #expect(try await fixture.outbox().isEmpty)
            #expect(try await fixture.store.members(of: room, after: nil, limit: 10).map(\.user) == [ann])
            isOver.withLock { $0 = false }
            for call in calls { try await call() }
            #expect(charged.withLock { $0 } == calls.map { _ in ann.id })
            _ = try await changes.setMember(bob, of: room, role: nil, byOperator: nil)
            try await changes.removeMember(bob, from: room, byOperator: nil)
            #expect(charged.withLock { $0.count } == calls.count)
        }
    }

    @Test("a direct thread has two members, who can only leave it")
    func direct() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let changes = fixture.changes()
            fixture.node.subscribe(to: [.user(bob.id)]) { _ in }
            let opened = try await changes.openDirect(ann, with: "bob")
            #expect(opened.isNew && opened.thread == ThreadInfo.directID(ann.id, bob.id))
            #expect(try await !changes.openDirect(bob, with: UserReference(id: ann.id)).isNew)
            #expect(fixture.told(bob).count == 1)
            await #expect(throws: MessagingError(RightsViolation.directThread)) {
                try await changes.rename(opened.thread, to: "x", by: ann)
            }
            await #expect(throws: MessagingError(RightsViolation.directThread)) {
                try await changes.removeMember("bob", from: opened.thread, by: ann)
            }
            await #expect(throws: MessagingError.notFound("no such user")) {
                try await changes.openDirect(ann, with: "nobody")
            }
            #expect(try await changes.leave(opened.thread, bob) != nil)
            let told = fixture.told(bob).count
            #expect(try await !changes.openDirect(ann, with: "bob").isNew)
            #expect(try await fixture.store.memberships(of: [bob.id])[bob.id, default: []].isEmpty)
            #expect(fixture.told(bob).count == told)
            #expect(try await changes.openDirect(bob, with: "ann").isNew)
        }
    }

    @Test("a new password and a revocation end sessions and notify the nodes")
    func credentials() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            var sessions: [TokenHash] = []
            for _ in 0..<3 {
                let session = SessionTokens.make().hash
                try await fixture.store.createSession(AuthSession(tokenHash: session, user: ann, expires: .max / 2))
                sessions.append(session)
            }
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let identity = Identity(user: ann, credential: .session(sessions[0], expires: nil))
            let profile = try await fixture.changes().updateAccount(
                identity, password: "correct horse", confirm: { nil }, profile: { $0.displayName = "Ann" })
            #expect(profile.displayName == "Ann")
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == "hash of correct horse")
            #expect(Set(fixture.told(ann)) == [.sessionRevoked(sessions[1]), .sessionRevoked(sessions[2]), .changed])
            #expect(fixture.told(ann).last == .changed)
            #expect(try await fixture.changes().revokeSessions(of: ann) == 1)
            #expect(fixture.told(ann).suffix(2) == [.sessionRevoked(sessions[0]), .changed])
            #expect(try await fixture.store.sessions(sessions).isEmpty)
            try await fixture.changes().erase(ann)
            #expect(fixture.told(ann).last == .erased)
        }
    }

    @Test("a wrong old password changes nothing; it is not checked for an invalid password or one kept by Django")
    func oldPassword() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let session = SessionTokens.make().hash
            try await fixture.store.createSession(AuthSession(tokenHash: session, user: ann, expires: .max / 2))
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let own = Identity(user: ann, credential: .session(session, expires: nil))
            let foreign = Identity(
                user: ann, credential: .session(TokenHash(TokenHash.foreignPrefix + "x"), expires: nil))
            let cases: [(Identity, String, AccountError, MessagingError)] = [
                (own, "correct horse", .wrongCredentials, .forbidden("old_password is missing or wrong")),
                (own, "correct horse", .rateLimited(retryAfterSeconds: 7), .rateLimited(afterMilliseconds: 7000)),
                (own, "correct horse", .unavailable("busy"), .unavailable("busy")),
                (own, "short", .unavailable("not asked"), .invalid(try #require(PasswordRules.violation(in: "short")))),
                (
                    foreign, "correct horse", .unavailable("not asked"),
                    .forbidden("the password is managed by Django; change it there")
                ),
            ]
            for (identity, password, error, expected) in cases {
                await #expect(throws: expected) {
                    try await fixture.changes().updateAccount(
                        identity, password: password, confirm: { () throws(AccountError) -> Int64? in throw error },
                        profile: { $0.displayName = "Ann" })
                }
            }
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == nil)
            #expect(try await fixture.store.profiles(of: [ann.id]).isEmpty)
            #expect(fixture.told(ann).isEmpty)
            // The credentials change while the new password is hashed.
            await #expect(throws: MessagingError.self) {
                try await fixture.changes().updateAccount(
                    own, password: "correct horse",
                    confirm: { () throws(AccountError) -> Int64? in
                        _ = try? await fixture.store.setPassword("another's", of: ann.id, keeping: session)
                        return 0
                    }, profile: { $0.displayName = "Ann" })
            }
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == "another's")
            #expect(try await fixture.store.profiles(of: [ann.id]).isEmpty)
            #expect(try await fixture.store.sessions([session]).count == 1)
            // Another request removes the picture meanwhile.
            let picture = ParleyModel.Attachment.path(of: AttachmentID(trusted: "f"))
            for password in [nil, "correct horse"] {
                await #expect(throws: MessagingError(StoreError.noAvatar)) {
                    try await fixture.changes().updateAccount(
                        own, password: password, confirm: { () throws(AccountError) -> Int64? in nil },
                        profile: { $0.avatarURL = picture })
                }
            }
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == "another's")
            // A change of the profile alone needs no password.
            _ = try await fixture.changes().updateAccount(
                own, password: nil, confirm: { () throws(AccountError) -> Int64? in throw .wrongCredentials },
                profile: { $0.displayName = "Ann" })
            #expect(try await fixture.store.profiles(of: [ann.id])[ann.id]?.displayName == "Ann")
        }
    }

    @Test("operator rights are granted and revoked once each, and the nodes are notified")
    func operators() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let changes = fixture.changes()
            for isOperator in [true, false] {
                #expect(try await changes.setOperator(isOperator, of: ann))
                #expect(try await fixture.store.operatorStatus(of: ann.id)?.isGranted == isOperator)
                #expect(try await !changes.setOperator(isOperator, of: ann))
            }
            #expect(fixture.told(ann) == [.changed, .changed])
            await #expect(throws: MessagingError.notFound("no such user")) {
                try await changes.setOperator(true, of: User(id: UserID(trusted: "ghost"), name: "ghost"))
            }
        }
    }

    @Test("logging out ends the session and notifies the nodes, once")
    func logOut() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let (token, session) = SessionTokens.make()
            try await fixture.store.createSession(AuthSession(tokenHash: session, user: ann, expires: .max / 2))
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let changes = fixture.changes()
            #expect(try await changes.logOut(token) == ann.id)
            #expect(try await changes.logOut(token) == nil)
            #expect(try await changes.logOut("no token") == nil)
            #expect(fixture.told(ann) == [.sessionRevoked(session)])
        }
    }

    @Test("an erasure is published after the first transaction; any process finishes the rest")
    func erasure() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let room = try await fixture.changes().join(ann, roomTitled: "Tea").membership.thread.id
            let message = Message(id: MessageID(trusted: "m1"), sender: ann, text: "secret")
            _ = try await fixture.memory.append(EventDraft(thread: room, body: .message(message)))
            try await fixture.persist()
            try await fixture.changes().erase(ann)
            #expect(fixture.told(ann).last == .erased)
            let left = try await fixture.store.claimCleanups(limit: 9)
            #expect(left.map(\.subject) == [.user(ann.id)])
            #expect(try await !"\(fixture.events(in: room))".contains("secret"))
            // Their process dies; others continue.
            fixture.clock.milliseconds += Cleanup.leaseMilliseconds - 1
            #expect(try await fixture.store.claimCleanups(limit: 9).isEmpty)
            fixture.clock.milliseconds += 1
            try await fixture.store.finishCleanups()
            #expect(try await fixture.events(in: room).compactMap(\.message).map(\.isErased) == [true])
        }
    }

    @Test("operators create users and rooms once; other names, titles and ids are conflicts")
    func makes() async throws {
        try await MessagingFixture.run { fixture async throws in
            let changes = fixture.changes()
            #expect(try await changes.createUser(named: "ann", id: "u1", password: nil, origin: .command).isNew)
            #expect(try await !changes.createUser(named: "ann", id: "u1", password: "", origin: .jwt).isNew)
            for (name, id) in [("ann", "u2"), ("bob", "u1")] {
                await #expect(throws: MessagingError.self) {
                    try await changes.createUser(named: name, id: id, password: nil, origin: .command)
                }
            }
            for (title, id) in [("", nil), ("Tea", "direct.x"), ("Tea", "a b"), ("a\nb", nil)] as [(String, String?)] {
                let error = await #expect(throws: MessagingError.self) {
                    try await changes.createRoom(titled: title, id: id)
                }
                guard case .invalid? = error else {
                    Issue.record("\(title), \(id ?? "no id"): \(String(describing: error))")
                    continue
                }
            }
            #expect(try await changes.createRoom(titled: " Tea ", id: "tea").isNew)
            #expect(try await !changes.createRoom(titled: "Tea", id: "tea").isNew)
            await #expect(throws: MessagingError.conflict("another room has this title")) {
                try await changes.createRoom(titled: "Tea", id: "tea2")
            }
            await #expect(throws: MessagingError.conflict("the id belongs to another thread")) {
                try await changes.createRoom(titled: "Milk", id: "tea")
            }
        }
    }
}
