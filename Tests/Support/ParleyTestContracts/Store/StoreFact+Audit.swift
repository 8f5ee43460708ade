import ParleyModel
import Testing

extension StoreFact {
    private static let boss = AuditActor.operator(UserID(trusted: "u-boss"))

    /// The notes of the log, oldest first.
    private static func notes(_ store: any StoreUnderTest, _ filter: AuditFilter = AuditFilter()) async throws
        -> [AuditNote]
    {
        try await store.auditEntries(filter, before: nil, limit: 100).reversed().map(\.note)
    }

    package static let audit: [StoreFact] = [
        StoreFact("changes of members by others are in the audit log, joins and leaves are not") { fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = ThreadID(trusted: "tea")
            _ = try await store.join(
                ann, roomTitled: "Tea", newID: tea, visibility: .public, at: 1, authorize: { _ in })
            _ = try await store.join(
                bob, roomTitled: "Tea", newID: tea, visibility: .public, at: 2, authorize: { _ in })
            _ = try await store.removeMember(
                bob, from: tea, by: bob.id, isRemoval: false, at: 3, authorize: { _ in })
            #expect(try await notes(store).isEmpty)
            for role in [Membership.Role.member, .moderator, .moderator] {
                _ = try await store.setMember(bob, of: tea, role: role, by: ann.id, at: 4, authorize: { _ in })
            }
            _ = try await store.removeMember(
                bob, from: tea, by: bob.id, as: .key("back"), isRemoval: true, at: 5, authorize: { _ in })
            _ = try await store.removeMember(
                bob, from: tea, by: ann.id, isRemoval: true, at: 6, authorize: { _ in })
            let (by, of) = (AuditActor.user(ann.id), bob.id)
            #expect(
                try await notes(store) == [
                    AuditNote(.memberAdded, by: by, in: tea, of: of, after: .role(.member)),
                    AuditNote(.role, by: by, in: tea, of: of, before: .role(.member), after: .role(.moderator)),
                    AuditNote(.memberRemoved, by: .key("back"), in: tea, of: of, before: .role(.moderator)),
                ])
        },
        StoreFact("sanctions, titles, visibilities and deleted threads are in the audit log, refusals are not") {
            fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = ThreadID(trusted: "tea")
            _ = try await store.join(
                ann, roomTitled: "Tea", newID: tea, visibility: .public, at: 1, authorize: { _ in })
            let mutes = [Sanction(.mute, until: 9, reason: "spam"), Sanction(.mute)]
            for mute in mutes {
                _ = try await store.sanction(
                    bob, in: tea, mute, author: ann.id, by: ann.id, at: 2, authorize: { _ in })
            }
            _ = try await store.sanction(
                bob, in: tea, Sanction(.ban, until: 7), author: nil, by: bob.id, as: .command, at: 2,
                authorize: { _ in })
            for kind in [Sanction.Kind.mute, .ban, .ban] {
                _ = try await store.endSanction(kind, of: bob, in: tea, by: ann.id, as: boss, authorize: { _ in })
            }
            await #expect(throws: RightsViolation.self) {
                try await store.sanction(bob, in: tea, mutes[0], author: ann.id, by: ann.id, at: 3) { _ in
                    throw RightsViolation.themselves
                }
            }
            for title in ["Coffee", "Coffee"] {
                _ = try await store.rename(tea, to: title, by: ann.id, at: 4, authorize: { _ in })
            }
            _ = try await store.setVisibility(.private, of: tea, by: ann.id, as: boss, authorize: { _ in })
            for _ in 1...2 {
                _ = try await store.setHistory(.sinceJoining, of: tea, by: ann.id, authorize: { _ in })
            }
            let link = RoomLink(id: LinkID(trusted: "l"), author: ann.id, since: 5)
            _ = try await store.addLink(link, code: TokenHash("hash"), to: tea, authorize: { _ in })
            for _ in 1...2 {
                _ = try await store.removeLink(link.id, of: tea, by: ann.id, as: boss, authorize: { _ in })
            }
            _ = try await store.deleteThread(tea, by: ann.id, authorize: { _ in })
            let (by, of) = (AuditActor.user(ann.id), bob.id)
            #expect(
                try await notes(store, AuditFilter(thread: tea)) == [
                    AuditNote(.mute, by: by, in: tea, of: of, reason: "spam", after: .end(9)),
                    AuditNote(.mute, by: by, in: tea, of: of, before: .end(9), after: .end(nil)),
                    AuditNote(.ban, by: .command, in: tea, of: of, after: .end(7)),
                    AuditNote(.muteEnded, by: boss, in: tea, of: of, before: .end(nil)),
                    AuditNote(.banEnded, by: boss, in: tea, of: of, before: .end(7)),
                    AuditNote(.renamed, by: by, in: tea, before: .title("Tea"), after: .title("Coffee")),
                    AuditNote(
                        .visibility, by: boss, in: tea, before: .visibility(.public), after: .visibility(.private)),
                    AuditNote(.history, by: by, in: tea, before: .history(.all), after: .history(.sinceJoining)),
                    AuditNote(.linkMade, by: by, in: tea, after: .link(link.id)),
                    AuditNote(.linkRevoked, by: boss, in: tea, before: .link(link.id)),
                    AuditNote(.threadDeleted, by: by, in: tea, before: .title("Coffee")),
                ])
        },
        StoreFact(
            "a deletion of another's message is in the audit log, once and without its text, wherever it is stored"
        ) {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let texts = (1...4).map { fixture.message("secret \($0)", from: ann, in: room, id: "m\($0)") }
            try await fixture.write(fixture.batch(Array(texts.prefix(2))))
            // One batch with the message, its own deletion, and repeats.
            try await fixture.write(
                fixture.batch([
                    texts[2], texts[3], fixture.delete(texts[0], by: ann), fixture.delete(texts[1], by: bob),
                    fixture.delete(texts[1], by: ann), fixture.delete(texts[0], by: bob),
                    fixture.delete(texts[2], by: bob),
                ]))
            try await fixture.write(fixture.batch([fixture.delete(texts[1], by: bob)]))
            let filter = AuditFilter(action: .messageDeleted)
            // Rows of one batch have no order.
            let rows = try await notes(fixture.store, filter).sorted {
                String(describing: $0.before) < String(describing: $1.before)
            }
            #expect(
                rows
                    == ["m2", "m3"].map {
                        AuditNote(
                            .messageDeleted, by: .user(bob.id), in: room, of: ann.id,
                            before: .message(MessageID(trusted: $0)))
                    })
        },
        StoreFact("changes of accounts by operators are in the audit log, and an erasure removes the reasons") {
            fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            for user in [ann, bob] {
                _ = try await store.suspend(user.id, Suspension(until: 9, reason: "spam"), by: boss, at: 1)
            }
            _ = try await store.endSuspension(of: ann.id, by: .key("back"))
            _ = try await store.endSuspension(of: ann.id, by: .key("back"))
            for isOperator in [true, true, false] {
                _ = try await store.setOperator(isOperator, of: ann.id, by: .command, at: 2)
            }
            _ = try await store.setPassword("h", and: nil, of: ann.id, keeping: nil, ifVersion: nil)
            _ = try await store.setPassword("h", and: nil, of: ann.id, keeping: nil, ifVersion: nil, by: boss)
            for name in ["ann1", "ann2"] {
                try await store.createSession(
                    AuthSession(tokenHash: TokenHash(name), user: ann, expires: 9_000_000_000_000))
            }
            // A user who ends a session leaves no row.
            for (name, actor) in [("ann1", nil), ("ann2", boss), ("ann2", boss), ("none", boss)] {
                _ = try await store.revokeSession(TokenHash(name), by: actor)
            }
            _ = try await store.revokeAll(of: ann.id, by: boss)
            let key = APIKeyRecord(name: "back", hash: TokenHash("k"), created: 1)
            try await store.createAPIKey(key)
            await #expect(throws: StoreError.taken) { try await store.createAPIKey(key) }
            #expect(try await store.revokeAPIKey(named: "back"))
            #expect(try await !store.revokeAPIKey(named: "back"))
            for _ in 0..<2 { _ = try await store.eraseUser(ann.id, at: 3) }
            #expect(
                try await notes(store, AuditFilter(user: ann.id)) == [
                    AuditNote(.suspended, by: boss, of: ann.id, after: .end(9)),
                    AuditNote(.suspensionEnded, by: .key("back"), of: ann.id, before: .end(9)),
                    AuditNote(.operatorGranted, by: .command, of: ann.id),
                    AuditNote(.operatorRevoked, by: .command, of: ann.id),
                    AuditNote(.passwordReset, by: boss, of: ann.id),
                    AuditNote(.sessionRevoked, by: boss, of: ann.id),
                    AuditNote(.sessionsRevoked, by: boss, of: ann.id),
                    AuditNote(.erased, by: .user(ann.id), of: ann.id),
                ])
            #expect(
                try await notes(store, AuditFilter(user: bob.id)) == [
                    AuditNote(.suspended, by: boss, of: bob.id, reason: "spam", after: .end(9))
                ])
            #expect(
                try await notes(store).suffix(3).prefix(2) == [
                    AuditNote(.keyCreated, by: .command, after: .name("back")),
                    AuditNote(.keyRevoked, by: .command, before: .name("back")),
                ])
            for _ in 0..<2 { _ = try await store.eraseUser(bob.id, at: 4, by: .key("back")) }
            #expect(
                try await notes(store, AuditFilter(user: bob.id)) == [
                    AuditNote(.suspended, by: boss, of: bob.id, after: .end(9)),
                    AuditNote(.erased, by: .key("back"), of: bob.id),
                ])
        },
        StoreFact("accounts that are made here, and changes of profiles, are in the audit log, imports are not") {
            fixture in
            let store = fixture.store
            let (ann, bob) = (
                User(id: UserID(trusted: "u1"), name: "ann"), User(id: UserID(trusted: "u2"), name: "bob")
            )
            try await store.createUser(ann, passwordHash: "h", origin: .signUp)
            await #expect(throws: StoreError.taken) {
                try await store.createUser(ann, passwordHash: "h", origin: .signUp)
            }
            let records = [ImportRecord.user(ann, passwordHash: nil), .user(bob, passwordHash: nil)]
            for outcome in [ImportOutcome.added, .unchanged] {
                #expect(
                    try await store.importRecords(records, origin: .operator, by: boss, at: 5) == [.unchanged, outcome])
            }
            let others = [User(id: UserID(trusted: "u3"), name: "eve"), User(id: UserID(trusted: "u4"), name: "dan")]
            _ = try await store.importRecords([.user(others[0], passwordHash: nil)], at: 6)
            try await store.createUser(others[1], passwordHash: nil, origin: .jwt)
            #expect(try await store.setProfile(Profile(displayName: "Ann"), of: ann.id))
            #expect(try await !store.setProfile(Profile(displayName: "No"), of: UserID(trusted: "u9")))
            _ = try await store.setPassword(
                "h", and: Profile(displayName: "Anna"), of: ann.id, keeping: nil, ifVersion: nil)
            _ = try await store.setPassword("h", and: nil, of: ann.id, keeping: nil, ifVersion: nil)
            #expect(
                try await notes(store) == [
                    AuditNote(.accountCreated, by: .user(ann.id), of: ann.id),
                    AuditNote(.accountCreated, by: boss, of: bob.id),
                    AuditNote(.profile, by: .user(ann.id), of: ann.id),
                    AuditNote(.profile, by: .user(ann.id), of: ann.id),
                ])
        },
        StoreFact("the audit log is read by each filter, page by page, newest first, and old rows are deleted") {
            fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            for (user, actor, at) in [
                (ann, boss, 10), (bob, .command, 20), (ann, .user(bob.id), 30), (bob, .key("u-boss"), 40),
            ] as [(User, AuditActor, Int64)] {
                _ = try await store.suspend(user.id, Suspension(reason: "at \(at)"), by: actor, at: at)
            }
            func reasons(_ filter: AuditFilter, before id: Int64? = nil, limit: Int = 9) async throws -> [String?] {
                try await store.auditEntries(filter, before: id, limit: limit).map(\.note.reason)
            }
            #expect(try await reasons(AuditFilter()) == ["at 40", "at 30", "at 20", "at 10"])
            #expect(try await reasons(AuditFilter(user: ann.id)) == ["at 30", "at 10"])
            #expect(try await reasons(AuditFilter(actor: boss.user)) == ["at 10"])
            #expect(try await reasons(AuditFilter(user: ann.id, actor: bob.id)) == ["at 30"])
            #expect(try await reasons(AuditFilter(action: .suspended, from: 20, to: 40)) == ["at 30", "at 20"])
            #expect(try await reasons(AuditFilter(action: .ban)).isEmpty)
            #expect(try await reasons(AuditFilter(thread: ThreadID(trusted: "tea"))).isEmpty)
            let first = try await store.auditEntries(AuditFilter(), before: nil, limit: 2)
            #expect(first.map(\.milliseconds) == [40, 30])
            #expect(try await reasons(AuditFilter(), before: first.last?.id) == ["at 20", "at 10"])
            #expect(try await store.pruneAudit(before: 30, limit: 1) == 1)
            #expect(try await reasons(AuditFilter()) == ["at 40", "at 30", "at 20"])
            #expect(try await store.pruneAudit(before: 30, limit: 9) == 1)
            #expect(try await store.pruneAudit(before: 30, limit: 9) == 0)
            #expect(try await reasons(AuditFilter()) == ["at 40", "at 30"])
        },
    ]
}
