import ParleyAccounts
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import Synchronization
import Testing

@Suite struct StateChangesTests {
    @Test("rights follow the stored roles, not the cached ones")
    func rights() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            await #expect(throws: MessagingError.notAMember) {
                try await messaging.setMember("cat", of: room, role: nil, by: Caller(bob))
            }
            await #expect(throws: MessagingError.notAMember) {
                try await messaging.setMember("bob", of: room, role: .owner, by: Caller(bob))
            }
            #expect(try await messaging.setMember("bob", of: room, role: nil, by: Caller(bob)).isNew)
            _ = try await messaging.setMember("bob", of: room, role: .moderator, by: Caller(ann))
            #expect(
                try await messaging.setMember(UserReference(id: cat.id), of: room, role: .readOnly, by: Caller(bob))
                    .role
                    == .readOnly)
            // Another process revokes the role; this one is not notified.
            _ = try await fixture.messaging().setMember("bob", of: room, role: .member, by: Caller(ann))
            await #expect(throws: MessagingError(RightsViolation.notAModerator)) {
                try await messaging.removeMember("cat", from: room, by: Caller(bob))
            }
            await #expect(throws: MessagingError(RightsViolation.notTheOwner)) {
                try await messaging.rename(room, to: "Milk", by: Caller(bob))
            }
            await #expect(throws: MessagingError(RightsViolation.notTheOwner)) {
                try await messaging.deleteThread(room, by: Caller(bob))
            }
            await #expect(throws: MessagingError.notFound("no such user")) {
                try await messaging.setMember("nobody", of: room, role: nil, by: Caller(ann))
            }
            await #expect(throws: MessagingError.notFound("no such thread")) {
                try await messaging.setMember("bob", of: ThreadID(trusted: "nowhere"), role: nil, by: Caller(ann))
            }
            // An operator needs no role.
            try await messaging.removeMember(ann, from: room, by: .commandLine)
            #expect(try await fixture.store.members(of: room, after: nil, limit: 10).map(\.user) == [bob, cat])
        }
    }

    @Test("who was removed is added by a moderator or an operator only; who leaves takes no role along")
    func restrictions() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            let removed = MessagingError(RightsViolation.removed)
            func expectKeptOut(_ user: User) async {
                await #expect(throws: removed) { try await messaging.join(roomTitled: "Tea", by: Caller(user)) }
                for role in [nil, .member] as [Membership.Role?] {
                    await #expect(throws: removed) {
                        try await messaging.setMember(
                            UserReference(name: user.name), of: room, role: role, by: Caller(user))
                    }
                }
            }
            // By the owner; a moderator, then an operator lifts it.
            for user in [bob, cat] { _ = try await messaging.join(roomTitled: "Tea", by: Caller(user)) }
            _ = try await messaging.setMember("cat", of: room, role: .moderator, by: Caller(ann))
            try await messaging.removeMember("bob", from: room, by: Caller(cat))
            await expectKeptOut(bob)
            #expect(try await messaging.setMember("bob", of: room, role: nil, by: Caller(cat)).role == .member)
            try await messaging.removeMember(bob, from: room, by: .commandLine)
            await expectKeptOut(bob)
            #expect(try await messaging.setMember(bob, of: room, role: nil, by: .commandLine).role == .member)

            // Leaving keeps read_only, and neither the owner nor a moderator remains one.
            _ = try await messaging.setMember("bob", of: room, role: .readOnly, by: Caller(cat))
            for user in [ann, bob, cat] { #expect(try await messaging.leave(room, by: Caller(user)) != nil) }
            await #expect(throws: MessagingError(RightsViolation.readOnly)) {
                try await messaging.setMember("bob", of: room, role: .member, by: Caller(bob))
            }
            #expect(try await messaging.setMember("bob", of: room, role: nil, by: Caller(bob)).role == .readOnly)
            for user in [ann, cat] {
                #expect(try await messaging.join(roomTitled: "Tea", by: Caller(user)).membership.role == .member)
            }
            // An operator who removes themselves has left.
            _ = try await messaging.setMember(ann, of: room, role: .owner, by: .commandLine)
            try await messaging.removeMember(ann, from: room, by: try await fixture.asOperator(ann))
            #expect(try await messaging.join(roomTitled: "Tea", by: Caller(ann)).isNew)
        }
    }

    @Test("changes published to members are charged as sends of the requester; back ends have no budget")
    func charged() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.messaging().join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            let milk = try await fixture.messaging().join(roomTitled: "Milk", by: Caller(ann)).membership.thread.id
            try await fixture.persist()
            let rates = SwitchedRates(wait: 50_000)
            let root = try await fixture.asOperator(ann)
            let messaging = fixture.messaging(budgets: .forTests(rates: rates))
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await messaging.setMember("bob", of: room, role: nil, by: Caller(ann)) },
                { _ = try await messaging.setMember("bob", of: room, role: .moderator, by: Caller(ann)) },
                { try await messaging.removeMember("bob", from: room, by: Caller(ann)) },
                { _ = try await messaging.setMember(bob, of: room, role: nil, by: root) },
                { try await messaging.removeMember(bob, from: room, by: root) },
                { try await messaging.rename(room, to: "Coffee", by: Caller(ann)) },
                { _ = try await messaging.openDirect(with: "bob", by: Caller(ann)) },
                { try await messaging.deleteThread(milk, by: Caller(ann)) },
                { try await messaging.removeMember("ann", from: room, by: Caller(ann)) },
            ]
            for call in calls {
                await #expect(throws: MessagingError.rateLimited(afterMilliseconds: 50)) { try await call() }
            }
            #expect(try await fixture.outbox().isEmpty)
            #expect(try await fixture.store.members(of: room, after: nil, limit: 10).map(\.user) == [ann])
            rates.fill()
            for call in calls { try await call() }
            #expect(rates.taken == calls.map { _ in RateKey.sends(ann.id) })
            _ = try await messaging.setMember(bob, of: room, role: nil, by: .commandLine)
            try await messaging.removeMember(bob, from: room, by: .commandLine)
            #expect(rates.taken.count == calls.count)
        }
    }

    @Test("a direct thread has two members, who can only leave it")
    func direct() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            fixture.node.subscribe(to: [.user(bob.id)]) { _ in }
            let opened = try await messaging.openDirect(with: "bob", by: Caller(ann))
            #expect(opened.isNew && opened.thread == ThreadInfo.directID(ann.id, bob.id))
            #expect(try await !messaging.openDirect(with: UserReference(id: ann.id), by: Caller(bob)).isNew)
            #expect(fixture.told(bob).count == 1)
            await #expect(throws: MessagingError(RightsViolation.directThread)) {
                try await messaging.rename(opened.thread, to: "x", by: Caller(ann))
            }
            await #expect(throws: MessagingError(RightsViolation.directThread)) {
                try await messaging.removeMember("bob", from: opened.thread, by: Caller(ann))
            }
            await #expect(throws: MessagingError.notFound("no such user")) {
                try await messaging.openDirect(with: "nobody", by: Caller(ann))
            }
            #expect(try await messaging.leave(opened.thread, by: Caller(bob)) != nil)
            let told = fixture.told(bob).count
            #expect(try await !messaging.openDirect(with: "bob", by: Caller(ann)).isNew)
            #expect(try await fixture.store.memberships(of: [bob.id])[bob.id, default: []].isEmpty)
            #expect(fixture.told(bob).count == told)
            #expect(try await messaging.openDirect(with: "ann", by: Caller(bob)).isNew)
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
            fixture.node.subscribe(to: [.user(ann.id), .user(.everyone)]) { _ in }
            let identity = Identity(user: ann, credential: .session(sessions[0], expires: nil))
            let profile = try await fixture.messaging().updateAccount(
                of: Caller(identity), password: "correct horse", confirm: { nil }, profile: { $0.displayName = "Ann" })
            #expect(profile.displayName == "Ann")
            // Every node reads who has another name, as long as it has changed.
            let everyone = User(id: .everyone, name: "")
            for name in ["Ann", "Anna"] {
                _ = try await fixture.messaging().updateAccount(
                    of: Caller(identity), password: nil, confirm: { nil }, profile: { $0.displayName = name })
                #expect(fixture.told(everyone).count == (name == "Ann" ? 1 : 2))
            }
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == "hash of correct horse")
            #expect(Set(fixture.told(ann)) == [.sessionRevoked(sessions[1]), .sessionRevoked(sessions[2]), .changed])
            #expect(fixture.told(ann).last == .changed)
            #expect(try await fixture.messaging().revokeSessions(of: ann, by: .commandLine) == 1)
            #expect(fixture.told(ann).suffix(2) == [.sessionRevoked(sessions[0]), .changed])
            #expect(try await fixture.store.sessions(sessions).isEmpty)
            try await fixture.messaging().erase(Caller(ann))
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
                    try await fixture.messaging().updateAccount(
                        of: Caller(identity), password: password,
                        confirm: { () throws(AccountError) -> Int64? in throw error },
                        profile: { $0.displayName = "Ann" })
                }
            }
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == nil)
            #expect(try await fixture.store.profiles(of: [ann.id]).isEmpty)
            #expect(fixture.told(ann).isEmpty)
            // The credentials change while the new password is hashed.
            await #expect(throws: MessagingError.self) {
                try await fixture.messaging().updateAccount(
                    of: Caller(own), password: "correct horse",
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
                    try await fixture.messaging().updateAccount(
                        of: Caller(own), password: password, confirm: { () throws(AccountError) -> Int64? in nil },
                        profile: { $0.avatarURL = picture })
                }
            }
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == "another's")
            // A change of the profile alone needs no password.
            _ = try await fixture.messaging().updateAccount(
                of: Caller(own), password: nil,
                confirm: { () throws(AccountError) -> Int64? in throw .wrongCredentials },
                profile: { $0.displayName = "Ann" })
            #expect(try await fixture.store.profiles(of: [ann.id])[ann.id]?.displayName == "Ann")
        }
    }

    @Test("operator rights are granted and revoked once each, and the nodes are notified")
    func operators() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let messaging = fixture.messaging()
            for isOperator in [true, false] {
                #expect(try await messaging.setOperator(isOperator, of: ann, by: .commandLine))
                #expect(try await fixture.store.operatorStatus(of: ann.id)?.isGranted == isOperator)
                #expect(try await !messaging.setOperator(isOperator, of: ann, by: .commandLine))
            }
            #expect(fixture.told(ann) == [.changed, .changed])
            await #expect(throws: MessagingError.notFound("no such user")) {
                try await messaging.setOperator(
                    true, of: User(id: UserID(trusted: "ghost"), name: "ghost"), by: .commandLine)
            }
        }
    }

    @Test("logging out ends the session and notifies the nodes, once")
    func logOut() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let session = SessionTokens.make().hash
            try await fixture.store.createSession(AuthSession(tokenHash: session, user: ann, expires: .max / 2))
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let messaging = fixture.messaging()
            let (credentials, foreign) = (
                [Identity.Credential.session(session, expires: nil), .session(session, expires: nil), .password],
                TokenHash(TokenHash.foreignPrefix + "x")
            )
            for credential in credentials {
                try await messaging.logOut(Caller(Identity(user: ann, credential: credential)))
            }
            await #expect(throws: MessagingError.forbidden("the session belongs to Django; log out there")) {
                try await messaging.logOut(
                    Caller(Identity(user: ann, credential: .session(foreign, expires: nil))))
            }
            #expect(try await fixture.store.sessions([session]).isEmpty)
            #expect(fixture.told(ann) == [.sessionRevoked(session)])
        }
    }

    @Test("an erasure is published after the first transaction; any process finishes the rest")
    func erasure() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            fixture.node.subscribe(to: [.user(ann.id)]) { _ in }
            let room = try await fixture.messaging().join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            let message = Message(id: MessageID(trusted: "m1"), sender: ann, text: "secret")
            _ = try await fixture.memory.append(EventDraft(thread: room, body: .message(message)))
            try await fixture.persist()
            try await fixture.messaging().erase(Caller(ann))
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
            let messaging = fixture.messaging()
            #expect(try await messaging.createUser(named: "ann", id: "u1", password: nil, by: .commandLine).isNew)
            #expect(try await !messaging.createUser(named: "ann", id: "u1", password: "", by: .commandLine).isNew)
            for (name, id) in [("ann", "u2"), ("bob", "u1")] {
                await #expect(throws: MessagingError.self) {
                    try await messaging.createUser(named: name, id: id, password: nil, by: .commandLine)
                }
            }
            for (title, id) in [("", nil), ("Tea", "direct.x"), ("Tea", "a b"), ("a\nb", nil)] as [(String, String?)] {
                let error = await #expect(throws: MessagingError.self) {
                    try await messaging.createRoom(titled: title, id: id, by: .commandLine)
                }
                guard case .invalid? = error else {
                    Issue.record("\(title), \(id ?? "no id"): \(String(describing: error))")
                    continue
                }
            }
            #expect(try await messaging.createRoom(titled: " Tea ", id: "tea", by: .commandLine).isNew)
            #expect(try await !messaging.createRoom(titled: "Tea", id: "tea", by: .commandLine).isNew)
            await #expect(throws: MessagingError.conflict("another public room has this title")) {
                try await messaging.createRoom(titled: "Tea", id: "tea2", by: .commandLine)
            }
            await #expect(throws: MessagingError.conflict("the id belongs to another thread")) {
                try await messaging.createRoom(titled: "Milk", id: "tea", by: .commandLine)
            }
        }
    }
}
