import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import Testing

/// Details, rights and slow mode of rooms, and blocks between users, through the use cases of two processes.
@Suite struct RoomRightsTests {
    private static func send(_ text: String, by user: User, in room: ThreadID, _ messaging: Messaging) async throws {
        let membership = try await messaging.membership(of: Caller(user), in: room)
        _ = try await messaging.send(NewMessage(text), by: Caller(user), as: membership)
    }

    @Test("an archived room is read-only for all until its owner opens it again; moderators change its texts only")
    func archive() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (messaging, other) = (fixture.messaging(), fixture.messaging())
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            _ = try await messaging.join(roomTitled: "Tea", by: Caller(bob))
            await #expect(throws: MessagingError(RightsViolation.notAModerator)) {
                try await messaging.setRoom(RoomUpdate(topic: "Green"), of: room, by: Caller(bob))
            }
            _ = try await messaging.setMember("bob", of: room, role: .moderator, by: Caller(ann))
            try await other.setRoom(RoomUpdate(topic: " Green ", slowSeconds: 5), of: room, by: Caller(bob))
            for update in [RoomUpdate(isArchived: true), RoomUpdate(rights: [.write: .everyone])] {
                await #expect(throws: MessagingError(RightsViolation.notTheOwner)) {
                    try await messaging.setRoom(update, of: room, by: Caller(bob))
                }
            }
            #expect(try await messaging.thread(room, of: Caller(ann)).membership.options.topic == "Green")
            try await messaging.setRoom(RoomUpdate(isArchived: true), of: room, by: Caller(ann))
            for user in [ann, bob] {
                await #expect(throws: MessagingError(RightsViolation.archived)) {
                    try await Self.send("hello", by: user, in: room, other)
                }
            }
            try await messaging.setRoom(RoomUpdate(isArchived: false), of: room, by: Caller(ann))
            try await Self.send("hello", by: bob, in: room, other)
        }
    }

    @Test("texts of rooms are bounded, lines have no line break, and a direct thread has no details")
    func texts() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            let long = String(repeating: "a", count: 4001)
            let refused: [(RoomUpdate, ErrorCode)] = [
                (RoomUpdate(topic: String(long.prefix(251))), .tooLarge), (RoomUpdate(topic: "a\nb"), .badRequest),
                (RoomUpdate(description: String(long.prefix(2001))), .tooLarge), (RoomUpdate(rules: long), .tooLarge),
                (RoomUpdate(rules: "a\u{7}"), .badRequest), (RoomUpdate(slowSeconds: 21_601), .badRequest),
            ]
            for (update, code) in refused {
                do throws(MessagingError) {
                    try await messaging.setRoom(update, of: room, by: Caller(ann))
                    Issue.record("accepted: \(update)")
                } catch {
                    #expect(error.code == code)
                }
            }
            let allowed = RoomUpdate(
                topic: String(long.prefix(250)), description: "a\nb", rules: String(long.prefix(4000)),
                slowSeconds: 21_600)
            try await messaging.setRoom(allowed, of: room, by: Caller(ann))
            let direct = try await messaging.openDirect(with: "bob", by: Caller(ann)).thread
            await #expect(throws: MessagingError(RightsViolation.directThread)) {
                try await messaging.setRoom(RoomUpdate(topic: "a"), of: direct, by: Caller(bob))
            }
        }
    }

    @Test("each right of a room is taken from members alone")
    func rights() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            _ = try await fixture.user("cat")
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            _ = try await messaging.join(roomTitled: "Tea", by: Caller(bob))
            try await Self.send("@all", by: bob, in: room, messaging)
            await #expect(throws: MessagingError(RightsViolation.notAModerator)) {
                try await messaging.setMember("cat", of: room, role: nil, by: Caller(bob))
            }
            let rights: [RoomRight: RoomRight.Holder] = [.mention: .moderators, .attach: .moderators, .add: .everyone]
            try await messaging.setRoom(RoomUpdate(rights: rights), of: room, by: Caller(ann))
            for text in ["@all", "hi @Everyone!", "(@here)"] {
                await #expect(throws: MessagingError(RightsViolation.moderatorsMention)) {
                    try await Self.send(text, by: bob, in: room, messaging)
                }
            }
            for text in ["mail@all.example", "@allen", "all", "@ all"] {
                try await Self.send(text, by: bob, in: room, messaging)
            }
            try await Self.send("@all", by: ann, in: room, messaging)
            let membership = try await messaging.membership(of: Caller(bob), in: room)
            let file = NewMessage("", parts: [.geo(json: "{}")])
            #expect(throws: MessagingError(RightsViolation.moderatorsAttach)) {
                try messaging.prepare(file, by: Caller(bob), as: membership)
            }
            await #expect(throws: MessagingError(RightsViolation.notAModerator)) {
                try await messaging.setMember("cat", of: room, role: .moderator, by: Caller(bob))
            }
            #expect(try await messaging.setMember("cat", of: room, role: nil, by: Caller(bob)).isNew)
            try await messaging.removeMember("cat", from: room, by: Caller(ann))
            // A member does not undo a removal.
            await #expect(throws: MessagingError(RightsViolation.notAModerator)) {
                try await messaging.setMember("cat", of: room, role: nil, by: Caller(bob))
            }
            try await messaging.setRoom(RoomUpdate(rights: [.write: .moderators]), of: room, by: Caller(ann))
            await #expect(throws: MessagingError(RightsViolation.moderatorsWrite)) {
                try await Self.send("hi", by: bob, in: room, messaging)
            }
            try await Self.send("hi", by: ann, in: room, messaging)
        }
    }

    @Test("slow mode lets a member send once in its time, a repeat of the same send again, and moderators always")
    func slowMode() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            _ = try await messaging.join(roomTitled: "Tea", by: Caller(bob))
            try await messaging.setRoom(RoomUpdate(slowSeconds: 30), of: room, by: Caller(ann))
            for _ in 0..<2 { try await Self.send("hi", by: ann, in: room, messaging) }
            let membership = try await messaging.membership(of: Caller(bob), in: room)
            func send(_ clientID: String) throws -> PreparedSend {
                try messaging.prepare(NewMessage("hi", clientID: clientID), by: Caller(bob), as: membership)
            }
            _ = try send("c1")
            _ = try send("c1")
            fixture.clock.advance(milliseconds: 10_000)
            let early = MessagingError.slowMode(seconds: 30, afterMilliseconds: 20_000)
            #expect(throws: early) { try send("c2") }
            #expect(early.code == .rateLimited && early.retryAfterMilliseconds == 20_000)
            fixture.clock.advance(milliseconds: 20_000)
            _ = try send("c2")
            // A message that was delivered from another node counts.
            let now = fixture.clock.milliseconds
            let message = Message(id: MessageID(trusted: "m"), sender: bob, text: "hi", clientID: "c3")
            messaging.slowMode.delivered(SentMark(message, at: now + 40_000), in: room)
            fixture.clock.advance(milliseconds: 45_000)
            #expect(throws: MessagingError.slowMode(seconds: 30, afterMilliseconds: 25_000)) { try send("c4") }
        }
    }

    @Test("slow mode remembers a bounded number of senders, the newest ones")
    func bound() {
        let slow = SlowMode(limit: 4)
        let room = ThreadID(trusted: "r")
        func take(_ name: String, at now: Int64) -> Int64 {
            let user = User(id: UserID(trusted: name), name: name)
            let message = Message(id: MessageID(trusted: "\(name)\(now)"), sender: user, text: "", clientID: nil)
            return slow.take(message, in: room, seconds: 100, at: now)
        }
        for (index, name) in ["a", "b", "c", "d", "e"].enumerated() { #expect(take(name, at: Int64(index)) == 0) }
        #expect(take("e", at: 10) > 0 && take("d", at: 10) > 0)
        #expect(take("a", at: 11) == 0)
    }

    @Test("neither of two users writes to the other or adds the other while one blocks the other")
    func blocks() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (messaging, other) = (fixture.messaging(), fixture.messaging())
            for user in [ann, bob] { fixture.node.subscribe(to: [.user(user.id)]) { _ in } }
            let direct = try await messaging.openDirect(with: "bob", by: Caller(ann)).thread
            let record = try await messaging.block("bob", by: Caller(ann))
            #expect(fixture.told(ann).last == .changed && fixture.told(bob).last == .changed)
            #expect(try await other.block("bob", by: Caller(ann)) == record)
            #expect(try await other.blocks(of: Caller(ann)) == [record])
            for user in [ann, bob] {
                await #expect(throws: MessagingError(RightsViolation.blockedDirect)) {
                    try await Self.send("hi", by: user, in: direct, other)
                }
            }
            for (owner, added) in [(ann, "bob"), (bob, "ann")] {
                let room = try await messaging.join(roomTitled: owner.name, by: Caller(owner)).membership.thread.id
                await #expect(throws: MessagingError(RightsViolation.blockedUser)) {
                    try await messaging.setMember(UserReference(name: added), of: room, role: nil, by: Caller(owner))
                }
            }
            await #expect(throws: MessagingError.invalid("you cannot block yourself")) {
                try await messaging.block("ann", by: Caller(ann))
            }
            try await messaging.unblock("bob", by: Caller(ann))
            try await messaging.unblock("bob", by: Caller(ann))
            try await Self.send("hi", by: bob, in: direct, other)
            // A thread that does not exist is not opened.
            _ = try await fixture.user("cat")
            _ = try await messaging.block("cat", by: Caller(ann))
            await #expect(throws: MessagingError(RightsViolation.blockedDirect)) {
                try await messaging.openDirect(with: "cat", by: Caller(ann))
            }
        }
    }
}
