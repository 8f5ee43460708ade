import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Mutes and bans.
    static let sanctions: [StoreFact] = [
        StoreFact("a mute belongs to the room and the user, and everything that has a membership in it shows it") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            let milk = try await fixture.room("milk", ann, bob)
            try await fixture.forgetOutbox()
            let mute = Sanction(.mute, until: 100, reason: "ä spam")
            let change = try await fixture.sanction(bob, in: tea, mute, by: ann)
            let info = ThreadInfo(id: tea, kind: .room, title: "tea")
            #expect(change.value == MemberChange(thread: info, before: .member, after: .member, mute: mute))
            #expect(change.outbox.isEmpty)
            func expect(_ mute: Sanction?) async throws {
                let member = Membership(thread: info, role: .member, mute: mute)
                #expect(try await fixture.membership(of: bob, in: tea) == member)
                #expect(try await fixture.store.memberships(of: [bob.id])[bob.id]?.contains(member) == true)
                #expect(try await fixture.store.thread(tea, of: bob.id)?.membership == member)
                #expect(try await fixture.store.snapshots(of: [bob.id])[bob.id]?.memberships.contains(member) == true)
                let again = try await fixture.store.join(bob, roomTitled: "tea", newID: tea, at: 9)
                #expect(again.value.membership == member)
                #expect(try await fixture.membership(of: bob, in: milk)?.mute == nil)
                #expect(try await fixture.membership(of: ann, in: tea)?.mute == nil)
            }
            try await expect(mute)
            // It outlives the membership, and another one of its kind replaces it.
            _ = try await fixture.store.removeMember(bob, from: tea, by: bob.id, at: 6, authorize: anyone)
            let back = try await fixture.store.join(bob, roomTitled: "tea", newID: tea, at: 7)
            #expect(back.value.membership.mute == mute && back.value.isNewMember)
            let longer = Sanction(.mute)
            _ = try await fixture.sanction(bob, in: tea, longer, by: ann)
            try await expect(longer)
            _ = try await fixture.store.removeMember(bob, from: tea, by: bob.id, at: 8, authorize: anyone)
            let added = try await fixture.store.setMember(
                bob, of: tea, role: nil, by: ann.id, at: 9, authorize: anyone)
            #expect(added.value.mute == longer)
            let ended = try await fixture.store.endSanction(.mute, of: bob, in: tea, by: ann.id, authorize: anyone)
            #expect(ended.value == longer && ended.outbox.isEmpty)
            try await expect(nil)
            let nothing = try await fixture.store.endSanction(.mute, of: bob, in: tea, by: ann.id, authorize: anyone)
            #expect(nothing.value == nil)
        },
        StoreFact("a ban ends the membership, is shown to authorize, and keeps imports and lists away while it lasts") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            try await fixture.forgetOutbox()
            let ban = Sanction(.ban, until: 100)
            let change = try await fixture.sanction(bob, in: tea, ban, by: ann)
            #expect(change.value?.before == .member && change.value?.after == nil)
            #expect(change.outbox.map(\.content) == [.append(.left(bob, by: ann.id))])
            #expect(try await fixture.membership(of: bob, in: tea) == nil)
            let info = ThreadInfo(id: tea, kind: .room, title: "tea")
            let refused = RefusedRoles(
                roles: MemberRoles(thread: info, requester: nil, subject: nil, sanctions: Sanctions(ban: ban)))
            await #expect(throws: refused) {
                try await fixture.store.join(bob, roomTitled: "tea", newID: tea, at: 7) {
                    throw RefusedRoles(roles: $0)
                }
            }
            await #expect(throws: refused) {
                try await fixture.store.setMember(bob, of: tea, role: nil, by: bob.id, at: 7) {
                    throw RefusedRoles(roles: $0)
                }
            }
            let record = ImportRecord.member(thread: tea, user: "bob", role: nil)
            for (now, isBanned) in [(Int64(99), true), (100, false)] {
                let rooms = try await fixture.store.joinableRooms(prefix: "", for: bob.id, at: now, limit: 9)
                #expect(rooms.isEmpty == isBanned)
                let outcome = try await fixture.store.importRecords([record], at: now)
                #expect((outcome == [.refused(.banned)]) == isBanned)
            }
            #expect(try await fixture.membership(of: bob, in: tea)?.role == .member)
            // A user who is not a member can be banned, and a read_only one stays that after the ban.
            let cat = try await fixture.user("cat")
            let early = try await fixture.sanction(cat, in: tea, Sanction(.ban), by: ann)
            #expect(early.value?.before == nil && early.outbox.isEmpty)
            _ = try await fixture.store.setMember(bob, of: tea, role: .readOnly, by: ann.id, at: 7, authorize: anyone)
            _ = try await fixture.sanction(bob, in: tea, Sanction(.ban), by: ann)
            let roles = RefusedRoles(
                roles: MemberRoles(
                    thread: info, requester: nil, subject: nil, restrictions: Restrictions(isReadOnly: true),
                    sanctions: Sanctions(ban: Sanction(.ban))))
            await #expect(throws: roles) {
                try await fixture.store.join(bob, roomTitled: "tea", newID: tea, at: 7) {
                    throw RefusedRoles(roles: $0)
                }
            }
        },
        StoreFact("the list has the sanctions in force, in pages") { fixture in
            let ann = try await fixture.user("ann")
            let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            var users: [User] = []
            for name in ["bob", "cat", "dan"] { users.append(try await fixture.user(name)) }
            users.sort { $0.id.text < $1.id.text }
            let mute = Sanction(.mute, until: 20, reason: "x")
            for user in users { _ = try await fixture.sanction(user, in: tea, mute, by: ann) }
            _ = try await fixture.sanction(users[1], in: tea, Sanction(.ban), by: ann)
            _ = try await fixture.sanction(users[2], in: milk, Sanction(.ban), by: ann)
            func list(_ now: Int64, after place: SanctionPlace? = nil, limit: Int = 9) async throws -> [SanctionRecord]
            {
                try await fixture.store.sanctions(in: tea, at: now, after: place, limit: limit)
            }
            func record(_ user: User, _ sanction: Sanction) -> SanctionRecord {
                SanctionRecord(user: user, sanction: sanction, author: ann.id, since: 5)
            }
            let all = [
                record(users[0], mute), record(users[1], Sanction(.ban)), record(users[1], mute),
                record(users[2], mute),
            ]
            #expect(try await list(19) == all)
            #expect(try await list(20) == [all[1]])
            var (pages, place): ([SanctionRecord], SanctionPlace?) = ([], nil)
            for _ in all {
                let page = try await list(19, after: place, limit: 1)
                pages += page
                place = page.last.map { SanctionPlace($0) } ?? place
            }
            #expect(pages == all)
            #expect(try await list(19, after: place).isEmpty)
        },
        StoreFact("a refused sanction changes nothing, and neither does one of an erased user") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            await #expect(throws: RightsViolation.notAModerator) {
                try await fixture.store.sanction(
                    ann, in: tea, Sanction(.ban), author: bob.id, by: bob.id, at: 5
                ) { roles in
                    #expect(roles.requester == .member && roles.subject == .owner)
                    throw RightsViolation.notAModerator
                }
            }
            _ = try await fixture.sanction(bob, in: tea, Sanction(.mute), by: ann)
            await #expect(throws: RightsViolation.notAModerator) {
                try await fixture.store.endSanction(.mute, of: bob, in: tea, by: bob.id) { roles in
                    #expect(roles.sanctions == Sanctions(mute: Sanction(.mute)))
                    throw RightsViolation.notAModerator
                }
            }
            #expect(try await fixture.database.count(.sanctions) == 1)
            #expect(try await fixture.membership(of: ann, in: tea) != nil)
            #expect(try await fixture.store.eraseUser(bob.id, at: 7).value)
            try await fixture.store.finishCleanups()
            #expect(try await fixture.database.count(.sanctions) == 0)
            #expect(try await fixture.sanction(bob, in: tea, Sanction(.ban), by: ann).value == nil)
            #expect(try await fixture.database.count(.sanctions) == 0)
            // A deleted room leaves none behind.
            let cat = try await fixture.user("cat")
            _ = try await fixture.sanction(cat, in: tea, Sanction(.ban), by: ann)
            #expect(try await fixture.database.count(.sanctions) == 1)
            _ = try await fixture.store.deleteThread(tea, by: ann.id, authorize: anyone)
            #expect(try await fixture.database.count(.sanctions) == 0)
        },
        StoreFact("every change of a sanction raises the version of its user") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            let changes: [(String, () async throws -> Void)] = [
                ("mute", { _ = try await fixture.sanction(bob, in: tea, Sanction(.mute, until: 9), by: ann) }),
                ("longer", { _ = try await fixture.sanction(bob, in: tea, Sanction(.mute, until: 99), by: ann) }),
                (
                    "ended",
                    { _ = try await fixture.store.endSanction(.mute, of: bob, in: tea, by: ann.id, authorize: anyone) }
                ),
                ("ban", { _ = try await fixture.sanction(bob, in: tea, Sanction(.ban), by: ann) }),
                ("ban again", { _ = try await fixture.sanction(bob, in: tea, Sanction(.ban), by: ann) }),
            ]
            for (what, change) in changes {
                try await fixture.expect(what, raises: [bob], credentials: [], of: [ann.id, bob.id], by: change)
            }
        },
    ]
}

/// Refuses a change and shows what the decision would have depended on.
private struct RefusedRoles: Error, Hashable {
    let roles: MemberRoles
}

extension StoreFixture {
    fileprivate func sanction(
        _ user: User, in thread: ThreadID, _ sanction: Sanction, by author: User
    ) async throws -> StateChange<MemberChange?> {
        try await store.sanction(
            user, in: thread, sanction, author: author.id, by: author.id, at: 5, authorize: anyone)
    }
}
