import ParleyModel
import Testing

extension StoreFact {
    private static let (spam, forGood) = (Suspension(until: 5_000, reason: "spam"), Suspension())
    private static let boss = AuditActor.operator(UserID(trusted: "u-boss"))

    package static let suspensions: [StoreFact] = [
        StoreFact("every look-up of credentials reads the suspension") { fixture in
            let store = fixture.store
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let token = TokenHash("a1")
            _ = try await store.createSession(
                AuthSession(tokenHash: token, user: ann, expires: .max), credentialsVersion: 0)
            func found() async throws -> [Suspension?] {
                let byID = try await store.accounts([ann.id])[ann.id]
                let byName = try await store.accounts(named: ["ann"])["ann"]
                let session = try await store.sessions([token])[token]
                let credentials = try await store.credentials(named: "ann")
                let snapshot = try await store.snapshots(of: [ann.id])[ann.id]
                return [
                    byID?.suspension, byName?.suspension, session?.suspension, credentials?.suspension,
                    snapshot?.suspension,
                ]
            }
            #expect(try await found() == [nil, nil, nil, nil, nil])
            #expect(try await store.suspend(ann.id, spam, by: boss, at: 1_000).value == .some(nil))
            #expect(try await found() == [spam, spam, spam, spam, spam])
            #expect(try await store.suspend(ann.id, forGood, by: .command, at: 2_000).value == .some(spam))
            #expect(try await found() == [forGood, forGood, forGood, forGood, forGood])
            #expect(try await store.accounts([bob.id])[bob.id] == Account(bob))
            #expect(try await store.endSuspension(of: ann.id, by: boss).value == forGood)
            #expect(try await found() == [nil, nil, nil, nil, nil])
            #expect(try await store.endSuspension(of: ann.id, by: boss).value == nil)
        },
        StoreFact("a suspension and its end raise the user's version, and keep sessions and memberships") { fixture in
            let store = fixture.store
            let ann = try await fixture.user("ann")
            let room = try await store.join(
                ann, roomTitled: "Tea", newID: ThreadID(trusted: "t"), visibility: .public, at: 1,
                authorize: { _ in })
            let session = AuthSession(tokenHash: TokenHash("a1"), user: ann, expires: .max)
            _ = try await store.createSession(session, credentialsVersion: 0)
            let before = try await store.snapshots(of: [ann.id])[ann.id]
            let mark = try await store.changes(since: nil, limit: 9).mark
            _ = try await store.suspend(ann.id, spam, by: .key("back"), at: 1_000)
            let page = try await store.changes(since: mark, limit: 9)
            #expect(page.users == [ann.id])
            let during = try await store.snapshots(of: [ann.id])[ann.id]
            #expect(during?.version ?? 0 > before?.version ?? 0)
            #expect(during?.memberships == [room.value.membership])
            #expect(during?.credentialsVersion == before?.credentialsVersion)
            _ = try await store.endSuspension(of: ann.id, by: .command)
            #expect(try await store.changes(since: page.mark, limit: 9).users == [ann.id])
            #expect(try await store.sessions([session.tokenHash])[session.tokenHash] == session)
        },
        StoreFact("suspensions are listed by the ids of the users, until they end") { fixture in
            let store = fixture.store
            var users: [User] = []
            for name in ["ann", "bob", "cat"] { users.append(try await fixture.user(name)) }
            users.sort { $0.id.text < $1.id.text }
            _ = try await store.suspend(users[0].id, spam, by: boss, at: 1_000)
            _ = try await store.suspend(users[2].id, forGood, by: .command, at: 2_000)
            let first = SuspensionRecord(user: users[0], suspension: spam, author: boss.user, since: 1_000)
            let last = SuspensionRecord(user: users[2], suspension: forGood, author: nil, since: 2_000)
            #expect(try await store.suspensions(at: 4_999, after: nil, limit: 9) == [first, last])
            #expect(try await store.suspensions(at: 4_999, after: nil, limit: 1) == [first])
            #expect(try await store.suspensions(at: 4_999, after: users[0].id, limit: 9) == [last])
            #expect(try await store.suspensions(at: 5_000, after: nil, limit: 9) == [last])
        },
        StoreFact("an erasure ends a suspension, and erased and unknown users cannot be suspended") { fixture in
            let store = fixture.store
            let ann = try await fixture.user("ann")
            _ = try await store.suspend(ann.id, forGood, by: boss, at: 1)
            _ = try await store.eraseUser(ann.id, at: 2)
            #expect(try await store.suspensions(at: 3, after: nil, limit: 9).isEmpty)
            for user in [ann.id, UserID(trusted: "u-ghost")] {
                #expect(try await store.suspend(user, forGood, by: boss, at: 4).value == nil)
                #expect(try await store.endSuspension(of: user, by: boss).value == nil)
            }
            #expect(try await store.suspensions(at: 5, after: nil, limit: 9).isEmpty)
        },
    ]
}
