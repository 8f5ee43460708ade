import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

/// Refuses a change and shows what it would have been decided by.
private struct Refused: Error, Hashable {
    let roles: MemberRoles
}

extension StoreFact {
    /// What outlasts a membership.
    static let restrictions: [StoreFact] = [
        StoreFact("who leaves as read_only comes back as read_only, and whoever else left as a member") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let roles: [Membership.Role] = [.owner, .moderator, .member, .readOnly]
            for (number, role) in roles.enumerated() {
                let user = try await fixture.user("user-\(number)")
                _ = try await fixture.store.setMember(
                    user, of: room, role: role, by: ann.id, at: 5, authorize: anyone)
                _ = try await fixture.store.removeMember(user, from: room, by: user.id, at: 6, authorize: anyone)
                let back = try await fixture.store.join(user, roomTitled: "tea", newID: room, at: 7)
                let expected = role == .readOnly ? Membership.Role.readOnly : .member
                #expect(back.value.membership.role == expected)
                let event = OutboxEntry.Content.append(.role(user.id, .readOnly, by: user.id))
                #expect(back.outbox.map(\.content) == [.append(.joined(user))] + (expected == .member ? [] : [event]))
                // The same again, added without a role.
                _ = try await fixture.store.removeMember(user, from: room, by: user.id, at: 8, authorize: anyone)
                let added = try await fixture.store.setMember(
                    user, of: room, role: nil, by: user.id, at: 9, authorize: anyone)
                #expect(added.value.after == expected)
                #expect(try await fixture.membership(of: user, in: room)?.role == expected)
            }
            // A membership has taken the place of the restriction.
            #expect(try await fixture.database.count(.restrictions) == 0)
        },
        StoreFact("a removal and a leave as read_only are shown to authorize until the user is a member again") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (room, other) = (try await fixture.room("tea", ann, bob), try await fixture.room("milk", bob))
            let store = fixture.store
            _ = try await store.setMember(bob, of: room, role: .readOnly, by: ann.id, at: 5, authorize: anyone)
            _ = try await store.removeMember(
                bob, from: room, by: ann.id, isRemoval: true, at: 6, authorize: anyone)
            let refuse: Authorization = { throw Refused(roles: $0) }
            let info = ThreadInfo(id: room, kind: .room, title: "tea")
            let both = Restrictions(isRemoved: true, isReadOnly: true)
            let refused = Refused(roles: MemberRoles(thread: info, requester: nil, subject: nil, restrictions: both))
            await #expect(throws: refused) {
                try await store.join(bob, roomTitled: "tea", newID: room, at: 7, authorize: refuse)
            }
            await #expect(throws: refused) {
                try await store.setMember(bob, of: room, role: nil, by: bob.id, at: 7, authorize: refuse)
            }
            #expect(try await store.joinableRooms(prefix: "", for: bob.id, at: 9, limit: 9).isEmpty)
            // Neither ann nor the other room is concerned, nor does a new room ask.
            await #expect(throws: Refused.self) {
                try await store.rename(other, to: "x", by: ann.id, at: 7, authorize: refuse)
            }
            #expect(
                try await store.join(bob, roomTitled: "new", newID: ThreadID(trusted: "r-new"), at: 7).value.isNewMember
            )
            // An explicit role ends both.
            _ = try await store.setMember(bob, of: room, role: .member, by: ann.id, at: 8, authorize: anyone)
            #expect(try await fixture.membership(of: bob, in: room)?.role == .member)
            _ = try await store.removeMember(bob, from: room, by: bob.id, at: 9, authorize: anyone)
            #expect(try await store.joinableRooms(prefix: "", for: bob.id, at: 9, limit: 9).map(\.id) == [room])
            await #expect(
                throws: Refused(roles: MemberRoles(thread: info, requester: nil, subject: nil))
            ) { try await store.join(bob, roomTitled: "tea", newID: room, at: 9, authorize: refuse) }
        },
        StoreFact("an import brings back neither who was removed nor who was read_only, unless as read_only") {
            fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let tea = ThreadInfo(id: room, kind: .room, title: "tea")
            var users: [User] = []
            for name in ["bob", "cat", "dan"] { users.append(try await fixture.user(name)) }
            for user in users {
                _ = try await fixture.store.setMember(
                    user, of: room, role: .readOnly, by: ann.id, at: 5, authorize: anyone)
                _ = try await fixture.store.removeMember(
                    user, from: room, by: ann.id, isRemoval: user == users[0], at: 6, authorize: anyone)
            }
            let readOnly = Membership(thread: tea, role: .readOnly)
            let cases: [(User, Membership.Role?, ImportOutcome)] = [
                (users[0], nil, .refused(.removed)), (users[0], .readOnly, .refused(.removed)),
                (users[1], .member, .refused(.otherRole)),
                (users[1], .readOnly, .joined(users[1], readOnly, after: 0)),
                (users[2], nil, .joined(users[2], readOnly, after: 0)),
            ]
            for (user, role, expected) in cases {
                let record = ImportRecord.member(
                    thread: room, user: UserReference(name: user.name), role: role)
                #expect(try await fixture.store.importRecords([record], at: 7) == [expected])
            }
            #expect(try await fixture.membership(of: users[0], in: room) == nil)
            #expect(try await fixture.membership(of: users[2], in: room)?.role == .readOnly)
        },
        StoreFact("a deleted room and an erased user leave no restriction behind") { fixture in
            let ann = try await fixture.user("ann")
            let rooms = [try await fixture.room("tea", ann), try await fixture.room("milk", ann)]
            let (bob, cat) = (try await fixture.user("bob"), try await fixture.user("cat"))
            for room in rooms {
                for user in [bob, cat] {
                    _ = try await fixture.store.setMember(
                        user, of: room, role: .readOnly, by: ann.id, at: 5, authorize: anyone)
                }
                _ = try await fixture.store.removeMember(
                    bob, from: room, by: ann.id, isRemoval: true, at: 6, authorize: anyone)
            }
            // One of them is a read_only member still.
            #expect(try await fixture.database.count(.restrictions) == 4)
            _ = try await fixture.store.deleteThread(rooms[0], by: ann.id, authorize: anyone)
            #expect(try await fixture.database.count(.restrictions) == 2)
            #expect(try await fixture.store.eraseUser(bob.id, at: 7).value)
            #expect(try await fixture.store.eraseUser(cat.id, at: 7).value)
            try await fixture.store.finishCleanups()
            #expect(try await fixture.database.count(.restrictions) == 0)
            // The id of an erased user stays without.
            _ = try? await fixture.store.removeMember(
                cat, from: rooms[1], by: ann.id, isRemoval: true, at: 8, authorize: anyone)
            #expect(try await fixture.database.count(.restrictions) == 0)
        },
    ]
}
