import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Topics, descriptions, rules, rights, slow mode and archives of rooms.
    static let roomDetails: [StoreFact] = [
        StoreFact("details of a room are kept, and everything that has a membership in it shows its options") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            let milk = try await fixture.room("milk", ann, bob)
            try await fixture.forgetOutbox()
            #expect(try await fixture.store.details(of: tea) == RoomDetails())
            let update = RoomUpdate(
                topic: "Grün \"1\"", description: "a\nb", rules: "c", isArchived: true, slowSeconds: 30,
                rights: [.write: .moderators, .add: .everyone])
            let change = try await fixture.store.setRoom(update, of: tea, by: ann.id, authorize: anyone)
            let details = update.applied(to: RoomDetails())
            #expect(change.value == RoomDetailsChange(before: RoomDetails(), after: details) && change.outbox.isEmpty)
            #expect(details.options.changes == 1)
            #expect(try await fixture.store.details(of: tea) == details)
            #expect(try await fixture.store.options(of: [tea, milk]) == [tea: details.options])
            let info = ThreadInfo(id: tea, kind: .room, title: "tea")
            let member = Membership(thread: info, role: .member, options: details.options)
            #expect(try await fixture.membership(of: bob, in: tea) == member)
            let place = MemberPlace(user: bob.id, thread: tea)
            #expect(try await fixture.store.memberships(at: [place]) == [place: member])
            #expect(try await fixture.store.thread(tea, of: bob.id)?.membership == member)
            #expect(try await fixture.store.snapshots(of: [bob.id])[bob.id]?.memberships.contains(member) == true)
            let again = try await fixture.store.join(bob, roomTitled: "tea", newID: tea, at: 9)
            #expect(again.value.membership == member)
            #expect(try await fixture.membership(of: bob, in: milk)?.options == .standard)
            #expect(try await fixture.store.inbox(of: bob.id).map(\.thread.id) == [milk])
            // New members get them, and what decides about a change sees them.
            let cat = try await fixture.user("cat")
            let joined = try await fixture.store.join(cat, roomTitled: "tea", newID: tea, at: 9)
            #expect(joined.value.membership == member && joined.value.isNewMember)
            let dan = try await fixture.user("dan")
            let added = try await fixture.store.setMember(dan, of: tea, role: nil, by: bob.id, at: 9) { roles in
                #expect(roles.options == details.options && !roles.isBlocked)
            }
            #expect(added.value.options == details.options)
        },
        StoreFact("details change one by one; nothing changes if nothing differs, and without the right") { fixture in
            let ann = try await fixture.user("ann")
            let tea = try await fixture.room("tea", ann)
            func set(_ update: RoomUpdate) async throws -> RoomDetailsChange? {
                let change = try await fixture.store.setRoom(update, of: tea, by: ann.id, authorize: anyone)
                return change.value
            }
            _ = try await set(RoomUpdate(topic: "a", rules: "r", slowSeconds: 5))
            _ = try await set(RoomUpdate(topic: "", rights: [.attach: .moderators]))
            let found = try await fixture.store.details(of: tea)
            let details = try #require(found)
            #expect(details.options.topic == nil && details.rules == "r" && details.options.slowSeconds == 5)
            #expect(details.options.rights.attach == .moderators && details.options.changes == 2)
            let same = try await set(RoomUpdate(rules: "r", isArchived: false))
            #expect(same == RoomDetailsChange(before: details, after: details))
            await #expect(throws: RightsViolation.notTheOwner) {
                try await fixture.store.setRoom(RoomUpdate(topic: "b"), of: tea, by: ann.id) { roles in
                    #expect(roles.requester != nil)
                    throw RightsViolation.notTheOwner
                }
            }
            #expect(try await fixture.store.details(of: tea) == details)
            let none = ThreadID(trusted: "none")
            #expect(try await fixture.store.details(of: none) == nil)
            let missing = try await fixture.store.setRoom(
                RoomUpdate(topic: "b"), of: none, by: ann.id, authorize: anyone)
            #expect(missing.value == nil)
        },
        StoreFact("the feed reports a room whose details have changed, also of its description alone") { fixture in
            let ann = try await fixture.user("ann")
            let tea = try await fixture.room("tea", ann)
            for update in [RoomUpdate(topic: "a"), RoomUpdate(description: "b"), RoomUpdate(slowSeconds: 3)] {
                let mark = try await fixture.store.changes(since: nil, limit: 9).mark
                _ = try await fixture.store.setRoom(update, of: tea, by: ann.id, authorize: anyone)
                let page = try await fixture.store.changes(since: mark, limit: 9)
                #expect(page.rooms == [tea] && page.users.isEmpty)
                _ = try await fixture.store.setRoom(update, of: tea, by: ann.id, authorize: anyone)
                #expect(try await fixture.store.changes(since: page.mark, limit: 9).rooms.isEmpty)
            }
        },
    ]

    /// Pictures of rooms.
    static let pictures: [StoreFact] = [
        StoreFact("the picture of a room is its maker's image, which members read, and others while the room is public")
        {
            fixture in
            let users = try await fixture.users(["ann", "bob", "cat"])
            let tea = try await fixture.room("tea", users[0], users[1])
            let store = fixture.store
            let (one, other) = (
                try await fixture.completeFile("one", of: users[0]).id,
                try await fixture.completeFile("two", of: users[0]).id
            )
            func show(_ picture: SettingChange<AttachmentID>, by user: User) async throws -> RoomDetails? {
                let change = try await store.setRoom(
                    RoomUpdate(picture: picture), of: tea, by: user.id, as: .user(user.id), authorize: { _ in })
                return change.value?.after
            }
            await #expect(throws: StoreError.noAvatar) { try await show(.set(one), by: users[1]) }
            await #expect(throws: StoreError.noAvatar) {
                try await show(.set(AttachmentID(trusted: "no")), by: users[0])
            }
            #expect(try await store.attachment(one, readableBy: users[1].id) == nil)
            #expect(try await show(.set(one), by: users[0])?.options.picture == one)
            // Another moderator may send what is there.
            #expect(try await show(.set(one), by: users[1])?.options.changes == 1)
            for user in users { #expect(try await store.attachment(one, readableBy: user.id)?.id == one) }
            #expect(try await store.discardAttachment(one, of: users[0].id) == false)
            _ = try await store.setVisibility(
                .private, of: tea, by: users[0].id, as: .user(users[0].id), authorize: { _ in })
            #expect(try await store.attachment(one, readableBy: users[1].id)?.id == one)
            #expect(try await store.attachment(one, readableBy: users[2].id) == nil)
            // A newcomer who sees no history sees the picture.
            _ = try await store.setHistory(.sinceJoining, of: tea, by: users[0].id, authorize: { _ in })
            _ = try await store.setMember(users[2], of: tea, role: nil, by: users[0].id, at: 6, authorize: { _ in })
            #expect(try await store.attachment(one, readableBy: users[2].id)?.id == one)
            // The earlier picture is removed, and so is that of a deleted room.
            #expect(try await show(.set(other), by: users[0])?.options.picture == other)
            #expect(try await store.claimRemovals(at: 9, limit: 9).map(\.id) == [one])
            try await store.removedAttachments([one])
            #expect(try await store.details(of: tea)?.options.picture == other)
            _ = try await store.deleteThread(tea, by: users[0].id, authorize: { _ in })
            #expect(try await store.claimRemovals(at: 9, limit: 9).map(\.id) == [other])
        },
        StoreFact("a room loses its picture with the erasure of the user who has uploaded it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", bob, ann)
            let store = fixture.store
            let image = try await fixture.completeFile("one", of: ann).id
            let update = RoomUpdate(topic: "Green", picture: .set(image))
            _ = try await store.setRoom(update, of: tea, by: ann.id, as: .user(ann.id), authorize: { _ in })
            #expect(try await store.eraseUser(ann.id, at: 7).value)
            #expect(try await store.attachment(image, readableBy: bob.id) == nil)
            #expect(try await store.claimRemovals(at: 9, limit: 9).map(\.id) == [image])
            try await store.removedAttachments([image])
            let options = try await store.details(of: tea)?.options
            #expect(options?.picture == nil && options?.topic == "Green" && options?.changes == 2)
            #expect(try await fixture.database.count(.attachmentUses) == 0)
        },
    ]

    /// Blocks between users.
    static let blocks: [StoreFact] = [
        StoreFact("a block is kept once, with its date, and shown to its maker; a direct thread is blocked for both") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let thread = ThreadInfo.directID(ann.id, bob.id)
            let tea = try await fixture.room("tea", ann, bob)
            _ = try await fixture.store.openDirect(thread, of: ann.id, with: bob.id, at: 1)
            let store = fixture.store
            #expect(try await store.block(bob.id, by: ann.id, at: 5) == .blocked(since: 5))
            #expect(try await store.block(bob.id, by: ann.id, at: 6) == .blocked(since: 5))
            #expect(try await store.blocks(of: ann.id) == [BlockRecord(user: bob, since: 5)])
            #expect(try await store.blocks(of: bob.id).isEmpty)
            func expect(_ isBlocked: Bool, made: Set<UserID>, suffered: Set<UserID>) async throws {
                #expect(try await store.isBlocked(ann.id, bob.id) == isBlocked)
                #expect(try await store.isBlocked(bob.id, ann.id) == isBlocked)
                for user in [ann, bob] {
                    #expect(try await fixture.membership(of: user, in: thread)?.isBlocked == isBlocked)
                    #expect(try await fixture.membership(of: user, in: tea)?.isBlocked == false)
                    #expect(try await store.thread(thread, of: user.id)?.membership.isBlocked == isBlocked)
                }
                let snapshots = try await store.snapshots(of: [ann.id, bob.id])
                let bobMade: Set = suffered.isEmpty ? [] : [ann.id]
                let bobSuffered: Set = made.isEmpty ? [] : [ann.id]
                #expect(snapshots[ann.id]?.blocks == UserBlocks(made: made, suffered: suffered))
                #expect(snapshots[bob.id]?.blocks == UserBlocks(made: bobMade, suffered: bobSuffered))
                let peers = try await store.peers(among: [ann.id: [bob.id], bob.id: [ann.id]])
                #expect(peers[ann.id, default: []].isEmpty == isBlocked)
                #expect(peers[bob.id, default: []].isEmpty == isBlocked)
            }
            try await expect(true, made: [bob.id], suffered: [])
            // Both directions are independent.
            #expect(try await store.block(ann.id, by: bob.id, at: 7) == .blocked(since: 7))
            #expect(try await store.blocks(of: [ann.id, bob.id], against: [ann.id]) == [bob.id: [ann.id]])
            #expect(try await store.blocks(of: [ann.id], against: [ann.id, bob.id]) == [ann.id: [bob.id]])
            #expect(try await store.blocks(of: [], against: [bob.id]).isEmpty)
            #expect(try await store.unblock(bob.id, by: ann.id))
            try await expect(true, made: [], suffered: [bob.id])
            #expect(try await !store.unblock(bob.id, by: ann.id))
            #expect(try await store.unblock(ann.id, by: bob.id))
            try await expect(false, made: [], suffered: [])
        },
        StoreFact("what decides about an addition sees a block in either direction") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann)
            for (one, other) in [(ann, bob), (bob, ann)] {
                _ = try await fixture.store.block(other.id, by: one.id, at: 1)
                await #expect(throws: RightsViolation.blockedUser) {
                    try await fixture.store.setMember(bob, of: tea, role: nil, by: ann.id, at: 2) { roles in
                        if roles.isBlocked { throw RightsViolation.blockedUser }
                    }
                }
                _ = try await fixture.store.unblock(other.id, by: one.id)
            }
            #expect(try await fixture.membership(of: bob, in: tea) == nil)
        },
        StoreFact("a group is not made by and with users who block each other, in either direction") { fixture in
            let users = try await fixture.users(["ann", "bob", "cat", "dan"])
            _ = try await fixture.store.block(users[1].id, by: users[0].id, at: 1)
            _ = try await fixture.store.block(users[0].id, by: users[2].id, at: 1)
            let group = NewGroup(id: ThreadID(trusted: "g"), title: nil, maker: users[0], members: Array(users[1...]))
            let refused = try await fixture.store.createGroup(group, at: 5)
            #expect(refused.value.blocked == [users[1].id, users[2].id] && refused.outbox.isEmpty)
            #expect(try await fixture.store.threads([group.id]).isEmpty)
            // Members who block each other do not concern the maker.
            _ = try await fixture.store.block(users[2].id, by: users[1].id, at: 1)
            let other = NewGroup(id: group.id, title: nil, maker: users[3], members: Array(users[..<3]))
            #expect(try await fixture.store.createGroup(other, at: 6).value.blocked.isEmpty)
            #expect(try await fixture.store.threads([group.id]).count == 1)
        },
        StoreFact("the feed reports both users of a block; unknown and erased users have none, and an erasure ends all")
        {
            fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let store = fixture.store
            #expect(try await store.block(UserID(trusted: "none"), by: ann.id, at: 1) == .unknownUser)
            var mark = try await store.changes(since: nil, limit: 9).mark
            _ = try await store.block(bob.id, by: ann.id, at: 1)
            #expect(Set(try await store.changes(since: mark, limit: 9).users) == [ann.id, bob.id])
            _ = try await store.block(ann.id, by: cat.id, at: 1)
            mark = try await store.changes(since: nil, limit: 9).mark
            _ = try await store.eraseUser(ann.id, at: 2)
            #expect(Set(try await store.changes(since: mark, limit: 9).users).isSuperset(of: [bob.id, cat.id]))
            #expect(try await store.blocks(of: cat.id).isEmpty)
            #expect(try await !store.isBlocked(ann.id, bob.id))
            #expect(try await store.block(ann.id, by: bob.id, at: 3) == .unknownUser)
        },
    ]
}
