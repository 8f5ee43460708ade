import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// The visibility of rooms: titles, lists, and what a title leads to.
    static let visibility: [StoreFact] = [
        StoreFact("a change of the visibility takes effect once, and is announced") { fixture in
            let ann = try await fixture.user("ann")
            let tea = try await fixture.room("tea", ann)
            try await fixture.forgetOutbox()
            let before = ThreadInfo(id: tea, kind: .room, title: "tea")
            let after = before.with(visibility: .private)
            let change = try await fixture.set(.private, of: tea, by: ann)
            #expect(change.value == RoomChange(before: before, after: after))
            #expect(change.outbox.map(\.content) == [.append(.visibility(.private, by: ann.id))])
            #expect(try await fixture.outbox() == change.outbox)
            let again = try await fixture.set(.private, of: tea, by: ann)
            #expect(again.value == RoomChange(before: after, after: after))
            #expect(again.outbox.isEmpty)
            // Everything that has a thread in it says the same.
            #expect(try await fixture.store.threads([tea]) == [tea: after])
            #expect(try await fixture.membership(of: ann, in: tea)?.thread == after)
            #expect(try await fixture.store.memberships(of: [ann.id])[ann.id]?.map(\.thread) == [after])
            #expect(try await fixture.store.inbox(of: ann.id).map(\.thread) == [after])
            #expect(try await fixture.store.thread(tea, of: ann.id)?.membership.thread == after)
            #expect(try await fixture.store.snapshots(of: [ann.id])[ann.id]?.memberships.map(\.thread) == [after])
            #expect(try await fixture.store.threads(prefix: "te", limit: 9) == [after])
            let direct = ThreadInfo.directID(ann.id, ann.id)
            _ = try await fixture.store.openDirect(direct, of: ann.id, with: ann.id, at: 8)
            for thread in [direct, ThreadID(trusted: "r-nowhere")] {
                #expect(try await fixture.set(.public, of: thread, by: ann).value == nil)
            }
        },
        StoreFact("the right to change the visibility is decided inside the transaction") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            await #expect(throws: RightsViolation.notTheOwner) {
                try await fixture.store.setVisibility(.private, of: tea, by: bob.id) { roles in
                    #expect(roles.thread?.visibility == .public && roles.requester == .member)
                    throw RightsViolation.notTheOwner
                }
            }
            #expect(try await fixture.store.threads([tea])[tea]?.visibility == .public)
        },
        StoreFact("titles are unique among public rooms only") { fixture in
            let ann = try await fixture.user("ann")
            let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            _ = try await fixture.set(.private, of: milk, by: ann)
            _ = try await fixture.store.rename(milk, to: "tea", by: ann.id, at: 5, authorize: anyone)
            await #expect(throws: StoreError.taken) { try await fixture.set(.public, of: milk, by: ann) }
            #expect(try await fixture.store.threads([milk])[milk]?.visibility == .private)
            #expect(try await fixture.set(.unlisted, of: milk, by: ann).value?.after.visibility == .unlisted)
            #expect(try await fixture.store.rooms(titled: ["tea"]).mapValues(\.id) == ["tea": tea])
            _ = try await fixture.set(.private, of: tea, by: ann)
            #expect(try await fixture.store.rooms(titled: ["tea"]).isEmpty)
            _ = try await fixture.set(.public, of: milk, by: ann)
            #expect(try await fixture.store.rooms(titled: ["tea"]).mapValues(\.id) == ["tea": milk])
            let imported = ThreadID(trusted: "i.1")
            let records: [(RoomVisibility, ImportOutcome)] = [
                (.public, .refused(.nameTaken)), (.unlisted, .added), (.private, .unchanged), (.public, .unchanged),
            ]
            for (visibility, outcome) in records {
                let record = ImportRecord.room(id: imported, title: "tea", visibility: visibility)
                #expect(try await fixture.store.importRecords([record], at: 1) == [outcome])
            }
            #expect(try await fixture.store.threads([imported])[imported]?.visibility == .unlisted)
        },
        StoreFact("only public rooms can be found") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            for visibility in RoomVisibility.allCases {
                let room = try await fixture.room("tea \(visibility)", ann)
                _ = try await fixture.set(visibility, of: room, by: ann)
            }
            let found = try await fixture.store.joinableRooms(prefix: "tea", for: bob.id, at: 9, limit: 9)
            #expect(found.map(\.title) == ["tea public"])
            let known = try await fixture.store.rooms(titled: ["tea public", "tea unlisted", "tea private"])
            #expect(Set(known.keys) == ["tea public"])
        },
        StoreFact("a title leads into one's own closed room, else the public one, else a new one") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let own = try await fixture.enter(ann, "r.1", .private)
            #expect(own.isNewMember && own.membership.role == .owner && own.membership.thread.visibility == .private)
            // To others it does not exist.
            let other = try await fixture.enter(bob, "r.2")
            #expect(other.membership.thread.id.text == "r.2" && other.membership.role == .owner)
            #expect(try await fixture.enter(ann, "r.3") == JoinedRoom(membership: own.membership, isNewMember: false))
            _ = try await fixture.store.removeMember(ann, from: own.membership.thread.id, by: ann.id, at: 2) { _ in }
            let second = try await fixture.enter(ann, "r.4")
            #expect(second.membership.thread.id.text == "r.2" && second.isNewMember)
            // With two of them, a title says too little.
            for id in ["r.5", "r.6"] {
                _ = try await fixture.store.importRecords(
                    [
                        .room(id: ThreadID(trusted: id), title: "tea", visibility: .private),
                        .member(thread: ThreadID(trusted: id), user: UserReference(id: bob.id), role: nil),
                    ], at: 3)
            }
            #expect(try await fixture.enter(bob, "r.7").membership.thread.id.text == "r.2")
        },
        StoreFact("a room that would be created is authorised without a thread") { fixture in
            let ann = try await fixture.user("ann")
            await #expect(throws: RightsViolation.notTheOwner) {
                try await fixture.store.join(ann, roomTitled: "tea", newID: ThreadID(trusted: "r.1"), at: 1) { roles in
                    #expect(roles.thread == nil)
                    throw RightsViolation.notTheOwner
                }
            }
            #expect(try await fixture.store.threads([ThreadID(trusted: "r.1")]).isEmpty)
        },
    ]
}

extension StoreFixture {
    /// Enters by the title "tea"; a new room has this id.
    fileprivate func enter(
        _ user: User, _ id: String, _ visibility: RoomVisibility = .public
    ) async throws -> JoinedRoom {
        let change = try await store.join(
            user, roomTitled: "tea", newID: ThreadID(trusted: id), visibility: visibility, at: 1, authorize: anyone)
        return change.value
    }

    fileprivate func set(
        _ visibility: RoomVisibility, of thread: ThreadID, by user: User
    ) async throws -> StateChange<RoomChange?> {
        try await store.setVisibility(visibility, of: thread, by: user.id, authorize: anyone)
    }
}
