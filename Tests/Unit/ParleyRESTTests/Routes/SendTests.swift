import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("Sends over REST")
struct SendTests {
    @Test("a send is acknowledged with its position, and can be read once stored")
    func sends() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            let reply = try await alice.send("hi", in: room)
            #expect(reply.status == 201)
            #expect(reply.object["type"] as? String == "ack")
            #expect(reply.object["seq"] as? Int == 2)
            #expect(reply.object["thread_id"] as? String == room.text)
            #expect(reply.object["client_id"] == nil)
            try await fixture.persist()
            let message = try #require(try await alice.messages(room).first)
            #expect(message["text"] as? String == "hi")
            #expect(message["id"] as? String == reply.object["id"] as? String)
            // A send moves the sender's read cursor.
            #expect(try await alice.inbox().first?.unread == 0)
        }
    }

    @Test("a repeat under the same key is idempotent, stored or not; other content is a conflict")
    func repeats() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            _ = try await bob.join("Room")
            let first = try await alice.send("hi", in: room, key: "k 1")
            #expect(first.status == 201)
            #expect(first.object["client_id"] as? String == "k 1")
            let second = try await alice.send("hi", in: room, key: "k 1")
            try await fixture.persist()
            let third = try await alice.send("hi", in: room, key: "k 1")
            for reply in [second, third] {
                #expect(reply.status == 200)
                #expect(reply.object["repeat"] as? Bool == true)
                #expect(reply.object["id"] as? String == first.object["id"] as? String)
                #expect(reply.object["seq"] as? Int == first.object["seq"] as? Int)
            }
            #expect(try await alice.send("ho", in: room, key: "k 1").status == 409)
            // Keys are separate for each sender.
            #expect(try await bob.send("hi", in: room, key: "k 1").status == 201)
            try await fixture.persist()
            #expect(try await alice.messages(room).count == 2)
        }
    }

    @Test("parts, a reply and a form arrive as they were sent")
    func contents() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            let json = #"{"parts":[{"type":"image/png","url":"https://example.org/a.png","size":7}],"reply_to":1}"#
            #expect(try await alice.call(.post, "/v1/threads/\(room)/messages", json).status == 201)
            #expect(try await alice.post("/v1/threads/\(room)/messages", form: ["text": "a form"]).status == 201)
            try await fixture.persist()
            let messages = try await alice.messages(room)
            #expect(messages[0]["text"] as? String == "")
            #expect((messages[0]["parts"] as? [[String: Any]])?.first?["size"] as? Int == 7)
            #expect(messages[0]["reply_to"] as? Int == 1)
            #expect(messages[1]["text"] as? String == "a form")
        }
    }

    @Test(
        "an invalid message is 400",
        arguments: [
            "{}", #"{"text":""}"#, #"{"text":7}"#, #"{"text":"x","reply_to":0}"#, #"{"text":"x","parts":{}}"#,
            #"{"parts":[{"type":"text/plain"}]}"#, #"{"text":"x","parts":[],"parts":[]}"#, "[]", "x",
        ])
    func refuses(json: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            let reply = try await alice.call(.post, "/v1/threads/\(room)/messages", json)
            #expect(reply.status == 400 && reply.code == "bad_request", "\(reply.text)")
        }
    }

    @Test("a too long text is 413, in a message, a part or an edit")
    func tooLarge() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let path = "/v1/threads/\(try await alice.join("Room"))/messages"
            let (fitting, text) = (String(repeating: "x", count: 4096), String(repeating: "x", count: 4097))
            for json in [
                #"{"text":"\#(text)"}"#, #"{"parts":[{"type":"text/plain","content":"\#(text)"}]}"#,
            ] {
                let reply = try await alice.call(.post, path, json)
                #expect(reply.status == 413 && reply.code == "too_large", "\(reply.text)")
            }
            let sent = try await alice.call(.post, path, #"{"text":"\#(fitting)"}"#)
            #expect(sent.status == 201)
            let id = try #require(sent.object["id"] as? String)
            #expect(try await alice.call(.patch, "\(path)/\(id)", #"{"text":"\#(text)"}"#).status == 413)
        }
    }

    @Test("non-members, readers, keys without a user and invalid keys are rejected")
    func rights() async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }) { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            #expect(try await bob.send("x", in: room).code == "not_a_member")
            #expect(try await bob.send("x", in: ThreadID(trusted: "nowhere")).code == "not_found")
            #expect(
                try await alice.call(
                    .post, "/v1/threads/\(room)/members", #"{"user":"bob","role":"read_only"}"#
                ).status == 201)
            #expect(try await bob.send("x", in: room).code == "forbidden")
            #expect(try await alice.send("x", in: room, key: String(repeating: "x", count: 65)).status == 400)
            func service(_ headers: [(String, String)]) async throws -> Reply {
                try await fixture.post(
                    "/v1/threads/\(room)/messages", json: #"{"text":"by key"}"#,
                    headers: [("Authorization", "Bearer \(key)")] + headers)
            }
            #expect(try await service([]).status == 403)
            #expect(try await service([("X-Parley-User", "alice")]).status == 201)
            try await fixture.persist()
            #expect(try await alice.messages(room).map { $0["sender_name"] as? String } == ["alice"])
        }
    }

    @Test("edits, reactions and deletions are shown, effective before they are stored, and not undone")
    func changes() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            _ = try await bob.join("Room")
            let id = try #require(try await alice.send("hi", in: room).object["id"] as? String)
            let path = "/v1/threads/\(room)/messages/\(id)"
            // Nothing is stored yet.
            #expect(try await bob.call(.patch, path, #"{"text":"ho"}"#).status == 403)
            let edit = try await alice.call(.patch, path, #"{"text":"ho"}"#)
            #expect(edit.status == 200)
            #expect(edit.object["seq"] as? Int == 4)
            #expect(edit.object["id"] == nil)
            #expect(try await bob.call(.put, "\(path)/reactions/\(RESTFixture.encoded("👍"))").status == 200)
            #expect(try await bob.call(.put, "\(path)/reactions/%20").status == 400)
            try await fixture.persist()
            var message = try #require(try await bob.messages(room).first)
            #expect(message["text"] as? String == "ho")
            #expect(message["edited_ms"] is Int)
            let reaction = try #require((message["reactions"] as? [[String: Any]])?.first)
            #expect(reaction["emoji"] as? String == "👍")
            #expect(reaction["count"] as? Int == 1)
            #expect(reaction["users"] as? [String] == [bob.user.id.text])
            #expect(try await bob.call(.delete, "\(path)/reactions/\(RESTFixture.encoded("👍"))").status == 204)
            try await fixture.persist()
            #expect(try await bob.messages(room).first?["reactions"] == nil)
            #expect(try await bob.inbox().first?.unread == 1)

            #expect(try await bob.call(.delete, path).status == 403)
            #expect(try await alice.call(.delete, path).status == 204)
            // It is gone at once, though the store does not have the deletion yet.
            #expect(try await alice.call(.patch, path, #"{"text":"x"}"#).status == 404)
            #expect(try await bob.call(.put, "\(path)/reactions/x").status == 404)
            #expect(try await alice.call(.delete, path).status == 204)
            try await fixture.persist()
            message = try #require(try await bob.messages(room).first)
            #expect(message["text"] as? String == "")
            #expect(message["deleted"] as? Bool == true)
            #expect(message["edited_ms"] == nil)
            #expect(try await bob.inbox().first?.unread == 0)
            #expect(
                try await bob.events(room)
                    == ["joined", "joined", "message", "edited", "reaction", "reaction", "deleted"])
            #expect(try await alice.call(.delete, "/v1/threads/\(room)/messages/nothing").status == 404)
        }
    }

    @Test("owners and moderators delete other users' messages")
    func moderates() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob, carl) = (
                try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"),
                try await fixture.sessionUser("carl")
            )
            let room = try await alice.join("Room")
            for sessionUser in [bob, carl] { _ = try await sessionUser.join("Room") }
            for who in [alice, bob] {
                if who.user == bob.user {
                    _ = try await alice.call(
                        .post, "/v1/threads/\(room)/members", #"{"user":"bob","role":"moderator"}"#)
                }
                let id = try #require(try await carl.send("hi", in: room).object["id"] as? String)
                #expect(try await who.call(.delete, "/v1/threads/\(room)/messages/\(id)").status == 204)
            }
        }
    }

    @Test("a read cursor moves forward and back, not beyond the end, and members are notified")
    func reads() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            _ = try await bob.join("Room")
            for text in ["1", "2", "3"] { try await alice.send(text, in: room) }
            try await fixture.persist()
            fixture.node.subscribe(to: [.thread(room)]) { _ in }
            for (json, seq, unread) in [
                (#"{"seq":4}"#, 4, 1), (#"{"seq":0}"#, 0, 3), ("{}", 5, 0), (#"{"seq":3}"#, 3, 2),
                (#"{"seq":999}"#, 5, 0),
            ] {
                let reply = try await bob.call(.put, "/v1/threads/\(room)/read", json)
                #expect(reply.status == 200)
                #expect(reply.object["read_seq"] as? Int == seq)
                #expect(try await bob.inbox().first?.unread == unread, "\(json)")
            }
            #expect(try await bob.call(.put, "/v1/threads/\(room)/read", #"{"seq":-1}"#).status == 400)
            let seqs = fixture.heard.all.compactMap { signal -> Int64? in
                if case .ephemeral(.read(bob.user.id, let seq, _), room) = signal { seq } else { nil }
            }
            #expect(seqs == [4, 0, 5, 3, 5])
        }
    }
}
