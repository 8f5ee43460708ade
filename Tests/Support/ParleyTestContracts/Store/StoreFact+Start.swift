import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Where the log begins for members of rooms that do not show their history.
    static let starts: [StoreFact] = [
        StoreFact("the history of a room is changed inside the transaction, writes no event, and can be read") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.room("tea", ann, bob)
            try await fixture.forgetOutbox()
            #expect(try await fixture.store.history(of: tea) == .all)
            await #expect(throws: RightsViolation.notTheOwner) {
                try await fixture.store.setHistory(.sinceJoining, of: tea, by: bob.id) { roles in
                    #expect(roles.requester == .member && roles.history == .all)
                    throw RightsViolation.notTheOwner
                }
            }
            #expect(try await fixture.store.history(of: tea) == .all)
            for before in [RoomHistory.all, .sinceJoining] {
                let change = try await fixture.set(.sinceJoining, of: tea, by: ann)
                #expect(change.value == before && change.outbox.isEmpty)
                #expect(try await fixture.store.history(of: tea) == .sinceJoining)
            }
            let direct = ThreadInfo.directID(ann.id, ann.id)
            _ = try await fixture.store.openDirect(direct, of: ann.id, with: ann.id, at: 8)
            for thread in [direct, ThreadID(trusted: "r-nowhere")] {
                #expect(try await fixture.set(.sinceJoining, of: thread, by: ann).value == nil)
                #expect(try await fixture.store.history(of: thread) == nil)
            }
        },
        StoreFact("the log begins with the joining, whose seq the transaction writes that stores the event") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.closedRoom(ann)
            try await fixture.write(fixture.message("one", from: ann, in: tea))
            let change = try await fixture.store.setMember(
                bob, of: tea, role: nil, by: ann.id, at: 5, authorize: anyone)
            #expect(change.value.start == .joining(entry: 0))
            let entry = try #require(change.outbox.first)
            try await fixture.expectStart(.joining(entry: entry.id), of: bob, in: tea)
            // The log has a message before the event, and the store has neither.
            let before = fixture.message("two", from: ann, in: tea)
            let joined = try #require(fixture.event(of: entry))
            let version = try await fixture.version(of: bob)
            try await fixture.write(before)
            try await fixture.expectStart(.joining(entry: entry.id), of: bob, in: tea)
            #expect(try await fixture.version(of: bob) == version)
            try await fixture.write(joined, fixture.message("three", from: ann, in: tea))
            try await fixture.expectStart(.stored(3), of: bob, in: tea)
            // The nodes are told.
            #expect(try await fixture.version(of: bob) > version)
            #expect(try await fixture.membership(of: ann, in: tea)?.start == nil)
            // Another role is no new membership, and neither is another history of the room.
            _ = try await fixture.set(.all, of: tea, by: ann)
            let role = try await fixture.store.setMember(
                bob, of: tea, role: .moderator, by: ann.id, at: 6, authorize: anyone)
            #expect(role.value.start == .stored(3))
            try await fixture.expectStart(.stored(3), of: bob, in: tea)
            try await fixture.write(fixture.leaving(bob, tea))
            try await fixture.write(fixture.joining(bob, tea))
            #expect(try await fixture.membership(of: bob, in: tea)?.start == nil)
        },
        StoreFact("an earlier joining that is stored late does not begin the log of a later one") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.closedRoom(ann)
            let first = try await fixture.joining(bob, tea)
            let left = try await fixture.leaving(bob, tea)
            let between = fixture.message("secret", from: ann, in: tea)
            let second = try await fixture.joining(bob, tea)
            let entry = try #require(second.outboxID)
            for event in [first, left, between] {
                try await fixture.write(event)
                try await fixture.expectStart(.joining(entry: entry), of: bob, in: tea)
            }
            try await fixture.write(second)
            try await fixture.expectStart(.stored(4), of: bob, in: tea)
            // The log has lost the event before it was stored, and another epoch has it.
            try await fixture.write(fixture.leaving(bob, tea))
            let third = try await fixture.joining(bob, tea)
            fixture.epoch = Epoch("epoch2")
            try await fixture.write(fixture.message("other", from: ann, in: tea, seq: 6))
            try await fixture.write(fixture.event(third.body, in: tea, seq: 7, outboxID: third.outboxID))
            try await fixture.expectStart(.stored(7), of: bob, in: tea)
        },
        StoreFact("a join by title begins the log, and the creator of a room sees all of it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.closedRoom(ann)
            #expect(try await fixture.store.history(of: tea) == .sinceJoining)
            #expect(try await fixture.membership(of: ann, in: tea)?.start == nil)
            let change = try await fixture.enter(bob)
            #expect(change.value.isNewMember && change.value.membership.start == .joining(entry: 0))
            let entry = try #require(change.outbox.first?.id)
            #expect(try await fixture.enter(bob).value.membership.start == .joining(entry: entry))
        },
        StoreFact("for an imported member the log begins after what is stored") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = ThreadID(trusted: "i.1")
            let room = ImportRecord.room(id: tea, title: "tea", visibility: .private, history: .sinceJoining)
            let member = { (user: User) in
                ImportRecord.member(thread: tea, user: UserReference(id: user.id), role: nil)
            }
            let outcomes = try await fixture.store.importRecords([room, member(ann)], at: 1)
            #expect(outcomes.first == .added)
            try await fixture.expectStart(.stored(1), of: ann, in: tea)
            try await fixture.write(
                fixture.message("one", from: ann, in: tea), fixture.message("two", from: ann, in: tea))
            let again = ImportRecord.room(id: tea, title: "tea", visibility: .private, history: .all)
            let later = try await fixture.store.importRecords([again, member(bob)], at: 1)
            let info = ThreadInfo(id: tea, kind: .room, title: "tea", visibility: .private)
            #expect(
                later == [
                    .unchanged,
                    .joined(bob, Membership(thread: info, role: .member, start: .stored(3)), after: 2),
                ])
            try await fixture.expectStart(.stored(3), of: bob, in: tea)
        },
        StoreFact("searches, last messages and unread counts know nothing from before the start") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.closedRoom(ann)
            let gone = fixture.message("secret gone", from: ann, in: tea)
            try await fixture.write(gone, fixture.message("secret one", from: ann, in: tea))
            let joined = try await fixture.joining(bob, tea)
            let secret = fixture.message("secret two", from: ann, in: tea)
            func expect(_ found: [String], last: String?, unread: Int64) async throws {
                let page = try await fixture.store.search("secret", of: bob.id, in: nil, limit: 9)
                #expect(page.messages.map { $0.message?.text } == found)
                let inbox = try await fixture.store.inbox(of: bob.id)
                #expect(inbox.map { $0.lastMessage?.message?.text } == [last])
                #expect(inbox.map(\.unreadCount) == [unread])
                let single = try await fixture.store.thread(tea, of: bob.id)
                let listed = try await fixture.store.threads(of: bob.id, after: nil, limit: 9)
                for summary in [single] + listed {
                    #expect(summary?.lastMessage?.message?.text == last && summary?.unreadCount == unread)
                }
                let states = try await fixture.store.readStates(of: [bob.id], limit: 9)[bob.id]
                #expect(states?.map(\.unreadCount) == [unread])
            }
            try await expect([], last: nil, unread: 0)
            // Not even with the cursor moved back.
            try await fixture.store.markRead(tea, by: bob.id, through: 0, at: nil)
            try await expect([], last: nil, unread: 0)
            try await fixture.write(secret, fixture.event(joined.body, in: tea, outboxID: joined.outboxID))
            try await expect([], last: nil, unread: 0)
            try await fixture.store.markRead(tea, by: bob.id, through: 0, at: nil)
            try await expect([], last: nil, unread: 0)
            let deletion = fixture.delete(gone, by: ann)
            let third = fixture.message("secret three", from: ann, in: tea)
            try await fixture.write(deletion, third)
            try await expect(["secret three"], last: "secret three", unread: 1)
            try await fixture.write(fixture.delete(third, by: ann))
            try await expect([], last: "", unread: 0)
            #expect(try await fixture.store.search("secret", of: ann.id, in: tea, limit: 9).messages.count == 2)
        },
        StoreFact("a file can be read only with a visible message that refers to it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tea = try await fixture.closedRoom(ann)
            let file = try await fixture.completeFile("a", of: ann)
            try await fixture.write(fixture.send(file, from: ann, in: tea))
            let joined = try await fixture.joining(bob, tea)
            func isReadable() async throws -> Bool {
                try await fixture.store.attachment(file.id, readableBy: bob.id) != nil
            }
            #expect(try await !isReadable())
            try await fixture.write(joined)
            #expect(try await !isReadable())
            try await fixture.write(fixture.send(file, from: ann, in: tea))
            #expect(try await isReadable())
        },
    ]
}

extension StoreFixture {
    fileprivate func set(
        _ history: RoomHistory, of thread: ThreadID, by user: User
    ) async throws -> StateChange<RoomHistory?> {
        try await store.setHistory(history, of: thread, by: user.id, authorize: anyone)
    }

    fileprivate func enter(_ user: User) async throws -> StateChange<JoinedRoom> {
        try await store.join(
            user, roomTitled: "tea", newID: ThreadID(trusted: "r-tea"), visibility: .public, history: .sinceJoining,
            at: milliseconds, authorize: anyone)
    }

    /// A room "tea" that does not show its history, with its creator. Its log and the outbox are empty.
    fileprivate func closedRoom(_ owner: User) async throws -> ThreadID {
        let room = try await enter(owner).value.membership.thread.id
        try await forgetOutbox()
        return room
    }

    /// Everything that has a membership in it says the same.
    fileprivate func expectStart(_ start: HistoryStart, of user: User, in thread: ThreadID) async throws {
        #expect(try await membership(of: user, in: thread)?.start == start)
        let place = MemberPlace(user: user.id, thread: thread)
        #expect(try await store.memberships(at: [place])[place]?.start == start)
        #expect(try await store.thread(thread, of: user.id)?.membership.start == start)
        #expect(try await store.threads(of: user.id, after: nil, limit: 9).map(\.membership.start) == [start])
        #expect(try await store.snapshots(of: [user.id])[user.id]?.memberships.first?.start == start)
    }
}
