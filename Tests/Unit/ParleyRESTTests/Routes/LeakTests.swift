import HTTPTypes
import ParleyModel
import ParleyTestSupport
import Testing

/// A search over REST for what users may not know, by each kind of outsider. `LeakSearchTests` searches a running server,
/// with its sockets.
@Suite("Leaks over REST")
struct LeakTests {
    private typealias Call = (method: HTTPRequest.Method, path: String, body: String)
    private static let noMessage = "01980000000070008000000000000000"

    @Test("a hidden thread answers as none to every outsider, byte for byte, after the same statements")
    func hidden() async throws {
        try await LeakFixture.run { fixture in
            for thread in fixture.threads {
                for name in LeakFixture.outsiders {
                    let user = try #require(fixture.users[name])
                    // The first fills caches and prepares statements.
                    let (first, second) = Self.missing(like: thread, fixture)
                    if name == "requesting", thread.name != "direct" {
                        for none in [first, second] { try await LeakFixture.request(none, user) }
                    }
                    for call in HiddenCall.all {
                        if name == "invited", call.isOfInvitation, thread.name != "direct" { continue }
                        _ = try await fixture.answer(to: call, about: first, Self.noMessage, by: user)
                        let hidden = try await fixture.answer(
                            to: call, about: thread.id.text, thread.message, by: user)
                        let missing = try await fixture.answer(to: call, about: second, Self.noMessage, by: user)
                        // Requests of the same user were made at different times.
                        let isTimed = name == "requesting" && call.path == "/v1/threads/{thread}/requests"
                        let texts = [hidden, missing].map {
                            isTimed ? $0.text.replacing(/_ms":[0-9]+/, with: "") : $0.text
                        }
                        #expect(texts[0] == texts[1], "\(name), \(thread.name): \(call)")
                        // A banned user's request is kept in another state, which a withdrawal keeps.
                        // Their leaving has been relayed already.
                        let hasLeft = ["removed", "banned"].contains(name) && call.path.hasSuffix("/members/{me}")
                        if !hasLeft, name != "banned" || !call.path.hasPrefix("/v1/me/requests") {
                            #expect(hidden.statements == missing.statements, "\(name), \(thread.name): \(call)")
                        }
                        #expect(!hidden.text.contains(LeakFixture.word), "\(name), \(thread.name): \(call)")
                    }
                }
            }
            // All is as it was.
            let messages = try await fixture.member.messages(fixture.threads[0].id)
            #expect(messages.compactMap { $0["text"] as? String } == ["\(LeakFixture.word) text"])
        }
    }

    /// Two threads of the kind that do not exist.
    private static func missing(like thread: LeakFixture.Hidden, _ fixture: LeakFixture) -> (String, String) {
        guard thread.name == "direct" else { return ("none-1", "none-2") }
        let (owner, member) = (fixture.owner.user.id, fixture.member.user.id)
        return (ThreadInfo.directID(owner, owner).text, ThreadInfo.directID(member, member).text)
    }

    @Test("every call about a thread that the document has is searched")
    func completeness() async throws {
        try await RESTFixture.run { fixture in
            let paths = try await fixture.send(.get, "/openapi.json").object["paths"] as? [String: [String: Any]] ?? [:]
            let methods: Set = ["get", "put", "post", "patch", "delete"]
            let calls = paths.flatMap { path, item in
                item.keys.filter(methods.contains).map { "\($0.uppercased()) \(path)" }
            }
            try #require(calls.count > 60)
            #expect(HiddenCall.missing(from: calls) == [])
        }
    }

    @Test("lists, searches, exports and profiles show an outsider nothing of hidden threads")
    func lists() async throws {
        try await LeakFixture.run { fixture in
            let hall = "/v1/threads/\(fixture.hall.id)"
            let paths = [
                "/v1/threads", "/v1/threads/joinable", "/v1/threads/joinable?q=zyx", "/messaging/load-inbox",
                "/messaging/load-messages?id=\(fixture.hall.id)", "/v1/search?q=\(LeakFixture.word)",
                "/v1/search?q=\(LeakFixture.word)&thread=\(fixture.hall.id)", "/v1/me", "/v1/me/export",
                "/v1/me/blocks", "/v1/me/notifications", "/v1/me/sessions", "/v1/me/devices", "/v1/users?q=owner",
                "/v1/users/owner", "/v1/users/member", "/v1/attachments", hall, hall + "/members",
                hall + "/messages", hall + "/events", hall + "/audit", "/healthz", "/readyz",
            ]
            let secrets =
                fixture.threads.flatMap { [$0.id.text, $0.message] } + [
                    LeakFixture.word, fixture.file, fixture.picture,
                ]
            for name in LeakFixture.outsiders {
                let user = try #require(fixture.users[name])
                let unread = try await user.inbox().first { $0.title == "Hall" }?.unread
                #expect(unread == 0, "\(name)")
                for path in paths {
                    let reply = try await user.get(path)
                    for secret in secrets { #expect(!reply.text.contains(secret), "\(name): \(path)") }
                }
                let invitations = try await user.get("/v1/me/invitations")
                #expect(invitations.text.contains(LeakFixture.word) == (name == "invited"), "\(name)")
                #expect(!invitations.text.contains(fixture.file))
            }
        }
    }

    @Test("a hidden file and a hidden message answer as none, also where a call about something else names them")
    func parts() async throws {
        try await LeakFixture.run { fixture in
            let (none, hidden) = (Self.noMessage, fixture.hall.message)
            let hall = "/v1/threads/\(fixture.hall.id)/messages"
            let calls: [Call] = [
                (.get, "/v1/attachments/{file}", ""), (.head, "/v1/attachments/{file}", ""),
                (.patch, "/v1/attachments/{file}", ""), (.delete, "/v1/attachments/{file}", ""),
                (.post, hall, #"{"parts":[{"attachment":"{file}"}]}"#),
                (.patch, "/v1/me", #"{"avatar_url":"/v1/attachments/{file}"}"#),
                (.patch, hall + "/{message}", #"{"text":"mine"}"#), (.delete, hall + "/{message}", ""),
                (.put, hall + "/{message}/reactions/x", ""), (.delete, hall + "/{message}/reactions/x", ""),
            ]
            for name in LeakFixture.outsiders {
                let user = try #require(fixture.users[name])
                for (method, path, body) in calls {
                    func ask(_ file: String, _ message: String) async throws -> LeakFixture.Answer {
                        func fill(_ text: String) -> String {
                            text.replacing("{file}", with: file).replacing("{message}", with: message)
                        }
                        _ = fixture.statements.takeAll()
                        let reply = try await user.call(method, fill(path), fill(body))
                        return LeakFixture.Answer(
                            text: LeakFixture.text(of: reply, without: [(file, "{file}"), (message, "{message}")]),
                            statements: fixture.statements.takeAll())
                    }
                    _ = try await ask(none, none)
                    let (answer, missing) = (try await ask(fixture.file, hidden), try await ask(none, none))
                    #expect(answer.text.hasPrefix("404 "), "\(name): \(method) \(path)")
                    #expect(answer.text == missing.text, "\(name): \(method) \(path)")
                    #expect(try await ask(fixture.picture, hidden).text == missing.text, "\(name): \(method) \(path)")
                    // A message is looked up in the log first, and only one that it lacks in the store.
                    if !path.contains("{message}") {
                        #expect(answer.statements == missing.statements, "\(name): \(method) \(path)")
                    }
                }
            }
        }
    }

    @Test("a block prevents every way from one user to the other, with one answer for both")
    func blocks() async throws {
        try await LeakFixture.run { fixture in
            for (path, method, body) in [
                ("/v1/direct", HTTPRequest.Method.post, #"{"user":"owner"}"#),
                ("/v1/threads", .post, #"{"kind":"group","members":["member","owner"]}"#),
                ("/v1/threads/{room}/members", .post, #"{"user":"owner"}"#),
                ("/v1/threads/{room}/invitations/owner", .put, "{}"),
            ] {
                var answers: Set<String> = []
                for name in ["blocked", "blocking"] {
                    let user = try #require(fixture.users[name])
                    let room = try await user.call(.post, "/v1/threads", #"{"title":"Den of \#(name)"}"#)
                    let id = try #require(room.object["id"] as? String)
                    let reply = try await user.call(method, path.replacing("{room}", with: id), body)
                    #expect(reply.status == 403, "\(name): \(method) \(path)")
                    answers.insert(reply.text)
                }
                #expect(answers.count == 1, "\(method) \(path)")
            }
        }
    }
}
