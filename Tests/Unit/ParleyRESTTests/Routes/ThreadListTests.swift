import HTTPTypes
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Thread list and users")
struct ThreadListTests {
    @Test("a thread has the end of its log and the user's read state")
    func shape() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room \"1\"")
            _ = try await bob.join("Room \"1\"")
            let said = try await fixture.say("hi", by: alice.user, in: thread, id: "m1")
            try await fixture.persist()
            let message = try await bob.get("/messaging/load-messages?id=\(thread)&before=1").text
            #expect(message == #"{"messages":[],"end":true}"#)
            try await fixture.say("two", by: alice.user, in: thread, id: "m2")
            try await fixture.persist()
            let reply = try await bob.get("/v1/threads")
            #expect(
                reply.text.hasPrefix(
                    #"{"threads":[{"id":"\#(thread)","title":"Room \"1\"","kind":"room","visibility":"public","role":"member","#
                        + #""epoch":"\#(said.position.epoch)","seq":4,"unread":1,"read_seq":3,"#
                        + #""last_message":{"id":"m2","#), "\(reply.text)")
            #expect(reply.text.hasSuffix(#""type":"message"}}],"next_cursor":null}"#))
            let direct = ThreadInfo.directID(alice.user.id, bob.user.id)
            try await fixture.say("psst", by: bob.user, in: direct, to: alice.user)
            try await fixture.persist()
            let list = try #require(try await alice.get("/v1/threads").object["threads"] as? [[String: Any]])
            #expect(list.map { $0["title"] as? String }.contains("bob"))
            #expect(list.first { $0["kind"] as? String == "direct" }?["unread"] as? Int == 1)
        }
    }

    @Test("the list continues by its cursor, despite new messages, and ends")
    func cursor() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            for number in 0..<7 {
                _ = try await alice.join("room \(number)")
                if number % 3 == 0 { fixture.clock.advance(milliseconds: 1000) }
            }
            try await fixture.persist()
            var titles: [String] = []
            var cursor: String?
            repeat {
                let more = cursor.map { "&cursor=\(RESTFixture.encoded($0))" } ?? ""
                let reply = try await alice.get("/v1/threads?limit=2\(more)")
                let threads = try #require(reply.object["threads"] as? [[String: Any]], "\(reply.text)")
                titles += threads.compactMap { $0["title"] as? String }
                cursor = reply.object["next_cursor"] as? String
                #expect(threads.count == 2 || cursor == nil)
            } while cursor != nil
            #expect(titles.count == 7)
            #expect(Set(titles).count == 7)
            #expect(titles.last == "room 0")
            for query in [
                "limit=0", "limit=501", "cursor=", "cursor=x", "cursor=1", "cursor=1.", "cursor=a.b", "cursor=1.a%20b",
            ] {
                #expect(try await alice.get("/v1/threads?\(query)").status == 400, "\(query)")
            }
            let stranger = try await fixture.sessionUser("bob")
            #expect(try await stranger.get("/v1/threads").text == #"{"threads":[],"next_cursor":null}"#)
            #expect(try await fixture.send(.get, "/v1/threads").status == 401)
        }
    }

    @Test("users are found by their id")
    func users() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let reply = try await bob.get("/v1/users/\(alice.user.id)")
            #expect(reply.text == #"{"id":"\#(alice.user.id)","username":"alice"}"#)
            for id in ["alice", "x%00", "no%20id", String(repeating: "a", count: 91)] {
                let reply = try await bob.get("/v1/users/\(id)")
                #expect(reply.status == 404, "\(id)")
                #expect(reply.code == "not_found")
            }
            #expect(try await fixture.send(.get, "/v1/users/\(alice.user.id)").status == 401)
        }
    }
}
