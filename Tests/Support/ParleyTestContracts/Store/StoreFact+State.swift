import ParleyModel
import Testing

/// The error that a test's `authorize` throws.
private struct Refused: Error, Equatable {
    var roles: MemberRoles
}

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// The contract of `StateStore`, in one transaction each.
    static let state: [StoreFact] = [
        StoreFact("a join is announced once, and the room has one owner") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let id = ThreadID(trusted: "r-tea")
            let made = try await fixture.store.join(ann, roomTitled: "tea", newID: id, at: 5)
            #expect(made.value.isNewMember)
            #expect(made.value.membership.role == .owner)
            #expect(made.outbox.map(\.content) == [.append(.joined(ann))])
            let other = ThreadID(trusted: "r-other")
            let joined = try await fixture.store.join(bob, roomTitled: "tea", newID: other, at: 6)
            #expect(joined.value.membership.thread.id == id)
            #expect(joined.value.membership.role == .member)
            for user in [ann, bob] {
                let again = try await fixture.store.join(user, roomTitled: "tea", newID: other, at: 7)
                #expect(!again.value.isNewMember)
                #expect(again.outbox.isEmpty)
            }
            #expect(try await fixture.outbox() == made.outbox + joined.outbox)
            #expect(try await fixture.outbox(of: other).isEmpty)
        },
        StoreFact("an unknown or erased user cannot join or become a member") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let ghost = User(id: UserID(trusted: "u-ghost"), name: "ghost")
            let room = try await fixture.room("tea", ann)
            _ = try await fixture.store.eraseUser(bob.id, at: 5)
            let announced = try await fixture.outbox()
            for user in [bob, ghost] {
                await #expect(throws: StoreError.self) {
                    try await fixture.store.join(user, roomTitled: "tea", newID: room, at: 6)
                }
                await #expect(throws: StoreError.self) {
                    try await fixture.store.join(user, roomTitled: "milk", newID: ThreadID(trusted: "r"), at: 6)
                }
                let change = try await fixture.store.setMember(
                    user, of: room, role: .owner, by: ann.id, at: 7, authorize: anyone)
                #expect(change.value.before == nil)
                #expect(change.value.after == nil)
                #expect(change.outbox.isEmpty)
            }
            #expect(try await fixture.outbox() == announced)
            #expect(try await fixture.store.rooms(titled: ["milk"]).isEmpty)
        },
        StoreFact("joins, roles and departures are announced in order") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            let store = fixture.store
            try await fixture.forgetOutbox()
            let steps: [(Membership.Role?, [LogEvent.Body])] = [
                (nil, [.joined(bob, by: ann.id)]), (nil, []), (.member, []),
                (.moderator, [.role(bob.id, .moderator, by: ann.id)]), (.moderator, []), (nil, []),
                (.readOnly, [.role(bob.id, .readOnly, by: ann.id)]),
            ]
            var announced: [OutboxEntry] = []
            for (role, bodies) in steps {
                let change = try await store.setMember(
                    bob, of: room, role: role, by: ann.id, at: 5, authorize: anyone)
                #expect(change.outbox.map(\.content) == bodies.map { .append($0) })
                announced += change.outbox
                #expect(try await fixture.membership(of: bob, in: room)?.role == change.value.after)
            }
            let gone = try await store.removeMember(bob, from: room, by: bob.id, at: 6, authorize: anyone)
            #expect(gone.value.before == .readOnly)
            #expect(gone.outbox.map(\.content) == [.append(.left(bob, by: bob.id))])
            let again = try await store.removeMember(bob, from: room, by: bob.id, at: 6, authorize: anyone)
            #expect(again.value.before == nil)
            #expect(again.outbox.isEmpty)
            let back = try await store.setMember(
                bob, of: room, role: .moderator, by: bob.id, at: 7, authorize: anyone)
            #expect(
                back.outbox.map(\.content) == [
                    .append(.joined(bob)), .append(.role(bob.id, .moderator, by: bob.id)),
                ])
            #expect(try await fixture.outbox(of: room) == announced + gone.outbox + back.outbox)
        },
        StoreFact("an error of authorize is rethrown unchanged, and nothing is changed") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            let store = fixture.store
            let nowhere = ThreadID(trusted: "r-nowhere")
            let (outbox, before) = (try await fixture.outbox(), try await store.snapshots(of: [ann.id, bob.id]))
            let refuse: Authorization = { throw Refused(roles: $0) }
            let info = ThreadInfo(id: room, kind: .room, title: "tea")
            let roles = MemberRoles(thread: info, requester: .owner, subject: nil)
            let nothing = MemberRoles(thread: nil, requester: nil, subject: nil)
            for (thread, roles) in [(room, roles), (nowhere, nothing)] {
                await #expect(throws: Refused(roles: roles)) {
                    try await store.setMember(bob, of: thread, role: .owner, by: ann.id, at: 5, authorize: refuse)
                }
                await #expect(throws: Refused(roles: roles)) {
                    try await store.removeMember(bob, from: thread, by: ann.id, at: 5, authorize: refuse)
                }
                await #expect(throws: Refused(roles: roles)) {
                    try await store.rename(thread, to: "milk", by: ann.id, at: 5, authorize: refuse)
                }
                await #expect(throws: Refused(roles: roles)) {
                    try await store.deleteThread(thread, by: ann.id, authorize: refuse)
                }
            }
            #expect(try await store.threads([room]) == [room: info])
            #expect(try await fixture.outbox() == outbox)
            #expect(try await store.snapshots(of: [ann.id, bob.id]) == before)
        },
        StoreFact("each of a hundred concurrent joins is announced once") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            var users: [User] = []
            for number in 0..<100 { users.append(try await fixture.user("user-\(number)")) }
            let announced = try await withThrowingTaskGroup { group in
                for (number, user) in users.enumerated() {
                    for store in stores {
                        group.addTask {
                            try await store.join(
                                user, roomTitled: "rush", newID: ThreadID(trusted: "r-\(number)"), at: 5
                            ).outbox
                        }
                    }
                }
                var announced: [OutboxEntry] = []
                for try await entries in group { announced += entries }
                return announced
            }
            #expect(try await fixture.outbox() == announced.sorted { $0.id < $1.id })
            #expect(Set(announced.map(\.thread)).count == 1)
            #expect(Set(announced.map(\.content)) == Set(users.map { .append(.joined($0)) }))
            #expect(announced.count == users.count)
        },
        StoreFact("authorize sees the current roles under concurrent changes") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            let ann = try await fixture.user("ann")
            var moderators: [User] = []
            let room = try await fixture.room("tea", ann)
            for number in 0..<10 {
                let user = try await fixture.user("user-\(number)")
                moderators.append(user)
                _ = try await fixture.store.setMember(
                    user, of: room, role: .moderator, by: ann.id, at: 5, authorize: anyone)
            }
            // Each moderator takes the next one's role, if both are still moderators: in no order can all of a ring
            // succeed.
            let changed = await withTaskGroup(of: Int?.self) { group in
                for (number, user) in moderators.enumerated() {
                    let next = moderators[(number + 1) % moderators.count]
                    group.addTask {
                        let change = try? await stores[number % 2].setMember(
                            next, of: room, role: .member, by: user.id, at: 6
                        ) { roles in
                            guard roles.requester == .moderator, roles.subject == .moderator else {
                                throw Refused(roles: roles)
                            }
                        }
                        return change == nil ? nil : number
                    }
                }
                return await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
            }
            #expect(!changed.isEmpty && changed.count < moderators.count)
            // In the order of the outbox, each was authorised when they acted.
            var able = Set(moderators.map(\.id))
            for entry in try await fixture.outbox(of: room) {
                guard case .append(.role(let user, .member, let requester)) = entry.content else { continue }
                #expect(able.contains(requester) && able.contains(user))
                able.remove(user)
            }
            #expect(able.count == moderators.count - changed.count)
            let demoted = Set(changed.map { moderators[($0 + 1) % moderators.count].id })
            for user in moderators {
                let role = try await fixture.membership(of: user, in: room)?.role
                #expect(role == (demoted.contains(user.id) ? .member : .moderator))
            }
        },
        StoreFact("a rename takes effect once, and never takes another room's title") { fixture in
            let ann = try await fixture.user("ann")
            let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            try await fixture.forgetOutbox()
            let renamed = try await fixture.store.rename(tea, to: "coffee", by: ann.id, at: 5, authorize: anyone)
            let info = ThreadInfo(id: tea, kind: .room, title: "coffee")
            let before = ThreadInfo(id: tea, kind: .room, title: "tea")
            #expect(renamed.value == RoomChange(before: before, after: info))
            #expect(renamed.outbox.map(\.content) == [.append(.renamed(title: "coffee", by: ann.id))])
            let again = try await fixture.store.rename(tea, to: "coffee", by: ann.id, at: 6, authorize: anyone)
            #expect(again.value == RoomChange(before: info, after: info))
            #expect(again.outbox.isEmpty)
            await #expect(throws: StoreError.taken) {
                try await fixture.store.rename(milk, to: "coffee", by: ann.id, at: 7, authorize: anyone)
            }
            let direct = ThreadInfo.directID(ann.id, ann.id)
            _ = try await fixture.store.openDirect(direct, of: ann.id, with: ann.id, at: 8)
            for thread in [direct, ThreadID(trusted: "r-nowhere")] {
                let none = try await fixture.store.rename(thread, to: "x", by: ann.id, at: 9, authorize: anyone)
                #expect(none.value == nil)
            }
            #expect(try await fixture.outbox() == renamed.outbox)
        },
    ]
}

extension StoreFixture {
    /// The entries of the outbox.
    func outbox(of thread: ThreadID? = nil) async throws -> [OutboxEntry] {
        try await store.outboxEntries(of: thread, limit: 1000)
    }

    /// Empties the outbox.
    func forgetOutbox() async throws {
        try await store.complete(try await outbox())
    }

    /// The version of a user; 0 also if there is none.
    func version(of user: User) async throws -> Int64 {
        try await store.snapshots(of: [user.id])[user.id]?.version ?? 0
    }
}
