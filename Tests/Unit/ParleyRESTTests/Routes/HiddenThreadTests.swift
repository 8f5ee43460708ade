import HTTPTypes
import ParleyModel
import Testing

@Suite("Threads that are hidden from strangers")
struct HiddenThreadTests {
    /// Paths about the thread `T` and its message `M`, where `me` is the stranger.
    private static let calls: [(HTTPRequest.Method, String, String)] = [
        (.get, "/messaging/load-messages?id=T", ""), (.get, "/v1/search?q=secret&thread=T", ""),
        (.get, "/v1/threads/T", ""), (.patch, "/v1/threads/T", #"{"title":"Mine"}"#), (.delete, "/v1/threads/T", ""),
        (.get, "/v1/threads/T/members", ""), (.post, "/v1/threads/T/members", #"{"user":"carl"}"#),
        (.post, "/v1/threads/T/members", #"{"user":"carl","role":"read_only"}"#),
        (.post, "/v1/threads/T/members", #"{"user":"alice"}"#),
        (.post, "/v1/threads/T/members", #"{"user":"nobody"}"#), (.delete, "/v1/threads/T/members/carl", ""),
        (.delete, "/v1/threads/T/members/alice", ""), (.delete, "/v1/threads/T/members/nobody", ""),
        (.get, "/v1/threads/T/messages", ""), (.get, "/v1/threads/T/messages?around_seq=1", ""),
        (.get, "/v1/threads/T/events", ""), (.post, "/v1/threads/T/messages", #"{"text":"hello"}"#),
        (.patch, "/v1/threads/T/messages/M", #"{"text":"hello"}"#), (.delete, "/v1/threads/T/messages/M", ""),
        (.put, "/v1/threads/T/messages/M/reactions/x", ""), (.delete, "/v1/threads/T/messages/M/reactions/x", ""),
        (.put, "/v1/threads/T/read", "{}"),
    ]

    @Test("a direct thread of others answers, byte for byte, as one that does not exist")
    func direct() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob, carl) = (
                try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"),
                try await fixture.sessionUser("carl")
            )
            let opened = try await alice.call(.post, "/v1/direct", #"{"user":"bob"}"#)
            let thread = ThreadInfo.directID(alice.user.id, bob.user.id)
            #expect(opened.object["id"] as? String == thread.text)
            let sent = try await alice.send("a secret", in: thread)
            let message = try #require(sent.object["id"] as? String)
            try await fixture.persist()
            let none = ThreadInfo.directID(bob.user.id, bob.user.id)
            for (method, path, body) in Self.calls {
                let ask = { (id: ThreadID) in
                    let filled = path.replacing("/T", with: "/\(id)").replacing("=T", with: "=\(id)")
                    return try await carl.call(method, filled.replacing("/M", with: "/\(message)"), body)
                }
                let (hidden, missing) = (try await ask(thread), try await ask(none))
                #expect(hidden.status == 404, "\(method) \(path) \(body)")
                #expect(hidden.status == missing.status && hidden.text == missing.text, "\(method) \(path) \(body)")
            }
            // It is as it was.
            #expect(try await bob.messages(thread).compactMap { $0["text"] as? String } == ["a secret"])
            #expect(try await carl.inbox().isEmpty)
        }
    }
}
