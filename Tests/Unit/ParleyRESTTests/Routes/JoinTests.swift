import ParleyMemory
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Joining a room")
struct JoinTests {
    @Test("the first join creates the room, the next ones join it; each is logged and sent to live sockets at once")
    func joining() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            fixture.node.subscribe(to: [.user(alice.user.id), .user(bob.user.id)]) { _ in }
            let reply = try await alice.post("/messaging/add-chatroom", form: ["title": " \tTea & cake\u{3000}"])
            #expect(reply.status == 200)
            let thread = try #require((reply.object["id"] as? String).flatMap { ThreadID($0) })
            #expect(reply.text == #"{"id":"\#(thread)","title":"Tea & cake"}"#)
            let info = ThreadInfo(id: thread, kind: .room, title: "Tea & cake")
            #expect(
                fixture.heard.control(of: alice.user.id) == [.added(Membership(thread: info, role: .owner), after: 0)])

            #expect(try await bob.join("Tea & cake") == thread)
            #expect(
                fixture.heard.control(of: bob.user.id) == [.added(Membership(thread: info, role: .member), after: 1)])
            #expect(try await fixture.joins(in: thread) == [alice.user, bob.user])
        }
    }

    @Test("joining again changes nothing, before and after the log is stored")
    func again() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            fixture.node.subscribe(to: [.user(alice.user.id)]) { _ in }
            let thread = try await alice.join("Room")
            #expect(try await alice.join("Room") == thread)
            try await fixture.persist()
            #expect(try await alice.join("Room") == thread)
            for number in 1...250 { try await fixture.say("\(number)", by: alice.user, in: thread) }
            #expect(try await alice.join("Room") == thread)
            let events = try await fixture.memory.events(in: thread, after: 0, limit: 1000).events
            #expect(!events.contains { if case .joined = $0.body { true } else { false } })
            #expect(fixture.heard.control(of: alice.user.id).count == 1)
        }
    }

    @Test("concurrent calls create one room, and one membership and event for each user")
    func race() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let threads = try await withThrowingTaskGroup(of: ThreadID.self) { group in
                for number in 0..<100 {
                    group.addTask { try await (number.isMultiple(of: 2) ? alice : bob).join("Room") }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(threads.count == 1)
            let joins = try await fixture.joins(in: try #require(threads.first))
            #expect(joins.count == 2)
            #expect(Set(joins) == [alice.user, bob.user])
        }
    }

    @Test("an unavailable log is 503, and a repeat completes the join", arguments: [0, 1, 250])
    func logAway(earlier: Int) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            // A new room, one that the log holds from its beginning, and one that is longer than the log window.
            if earlier > 0 {
                let thread = try await bob.join("Room")
                for number in 1..<earlier { try await fixture.say("\(number)", by: bob.user, in: thread) }
            }
            fixture.node.subscribe(to: [.user(alice.user.id)]) { _ in }
            fixture.log.isAway = true
            for _ in 0..<2 {
                let reply = try await alice.post("/messaging/add-chatroom", form: ["title": "Room"])
                #expect(reply.status == 503)
                #expect(reply.code == "unavailable")
                #expect(reply.header("Retry-After") == "1")
            }
            #expect(fixture.heard.control(of: alice.user.id).isEmpty)
            fixture.log.isAway = false
            let thread = try await alice.join("Room")
            #expect(try await alice.join("Room") == thread)
            let joins = try await fixture.joins(in: thread).filter { $0 == alice.user }
            #expect(joins.count == 1)
            #expect(fixture.heard.control(of: alice.user.id).count == 1)
        }
    }

    @Test("a join interrupted between store and log is completed by the next call")
    func orphan() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await bob.join("Room")
            let joined = try await fixture.store.join(
                alice.user, roomTitled: "Room", newID: ThreadID(trusted: "unused"), at: fixture.clock.milliseconds)
            #expect(joined.value.isNewMember)
            #expect(try await alice.join("Room") == thread)
            #expect(try await fixture.joins(in: thread) == [bob.user, alice.user])
        }
    }

    @Test("a new member has nothing unread, and gets later messages")
    func newcomer() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            for number in 1...3 { try await fixture.say("\(number)", by: alice.user, in: thread) }
            try await fixture.persist()
            _ = try await bob.join("Room")
            #expect(try await bob.inbox().map(\.unread) == [0])
            try await fixture.persist()
            #expect(try await bob.inbox().map(\.unread) == [0])
            try await fixture.say("4", by: alice.user, in: thread)
            try await fixture.persist()
            #expect(try await bob.inbox().map(\.unread) == [1])
        }
    }

    @Test(
        "invalid titles are rejected",
        arguments: [
            "", "   ", "\u{3000}\t", "a\u{7}b", "a\nb", "a\u{2028}b", "a\u{85}b", String(repeating: "ü", count: 65),
            "a\u{0}",
        ])
    func badTitles(title: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let reply = try await alice.post("/messaging/add-chatroom", form: ["title": title])
            #expect(reply.status == 400)
            #expect(reply.code == "bad_request")
            #expect(reply.message?.contains("title") == true)
        }
    }
}
