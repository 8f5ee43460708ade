import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

/// A room created again under the id of a deleted one.
@Suite struct RoomAgainTests {
    private static let tea = ThreadID(trusted: "tea")

    private static func makeRoom(_ fixture: MessagingFixture, _ owner: User) async throws -> Epoch {
        let messaging = fixture.messaging()
        #expect(try await messaging.createRoom(titled: "Tea", id: "tea", by: .commandLine).isNew)
        _ = try await messaging.setMember(owner, of: tea, role: .owner, by: .commandLine)
        return try #require(try await fixture.memory.head(of: tea)).position.epoch
    }

    private static func say(_ text: String, _ fixture: MessagingFixture, _ user: User) async throws {
        let message = Message(id: MessageID(UUIDv7(fixture.clock.wall)), sender: user, text: text)
        _ = try await fixture.memory.append(EventDraft(thread: tea, body: .message(message)))
    }

    @Test("it has another epoch and nothing of the old room, stored or pending", arguments: [false, true])
    func again(isStored: Bool) async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let old = try await Self.makeRoom(fixture, ann)
            try await Self.say("old", fixture, ann)
            if isStored { try await fixture.persist() }
            try await fixture.messaging().deleteThread(Self.tea, by: Caller(ann))
            #expect(try await fixture.memory.events(in: Self.tea, after: 0, limit: 10).events.isEmpty)
            let new = try await Self.makeRoom(fixture, ann)
            #expect(new != old)
            try await Self.say("new", fixture, ann)
            try await fixture.recover()
            let events = try await fixture.events(in: Self.tea)
            #expect(events.allSatisfy { $0.position.epoch == new })
            #expect(events.map { $0.message?.text } == [nil, nil, "new"])
            #expect(try await fixture.memory.events(in: Self.tea, after: 0, limit: 10).events.count == 3)
            #expect(try await fixture.outbox().isEmpty)
        }
    }

    @Test("it is not created while a log holds something of the old room")
    func waits() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            _ = try await Self.makeRoom(fixture, ann)
            try await fixture.persist()
            let log = SwitchedLog(fixture.memory)
            let messaging = fixture.messaging(log: log)
            log.isAway = true
            try await messaging.deleteThread(Self.tea, by: Caller(ann))
            await #expect(throws: MessagingError.self) {
                try await messaging.createRoom(titled: "Tea", id: "tea", by: .commandLine)
            }
            #expect(try await fixture.store.threads([Self.tea]).isEmpty)
            log.isAway = false
            #expect(try await messaging.createRoom(titled: "Tea", id: "tea", by: .commandLine).isNew)
        }
    }
}
