import HTTPTypes
import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleySQLite
import Testing

@Suite("The visibility of rooms over REST")
struct VisibilityTests {
    /// What a stranger asks of a room.
    private static func answers(_ user: SessionUser, _ thread: String) async throws -> [String] {
        let path = "/v1/threads/\(thread)"
        let calls: [(HTTPRequest.Method, String, String?)] = [
            (.get, path, nil), (.get, path + "/messages", nil), (.get, path + "/events", nil),
            (.get, path + "/members", nil), (.get, "/v1/search?q=word&thread=\(thread)", nil),
            (.get, "/messaging/load-messages?id=\(thread)", nil), (.patch, path, #"{"title":"x"}"#),
            (.patch, path, #"{"visibility":"public"}"#), (.delete, path, nil),
            (.post, path + "/messages", #"{"text":"x"}"#), (.put, path + "/read", "{}"),
            (.post, path + "/members", #"{"user":"\#(user.user.name)"}"#),
            (.post, path + "/members", #"{"user":"nobody"}"#), (.delete, path + "/members/\(user.user.id)", nil),
            (.delete, path + "/members/alice", nil),
        ]
        var answers: [String] = []
        for (method, path, body) in calls {
            let reply = try await user.call(method, path, body ?? "")
            answers.append("\(reply.status) \(reply.text)")
        }
        return answers
    }

    @Test("a private room of others answers as none, to strangers and to those who have left it")
    func hidden() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let made = try await alice.call(.post, "/v1/threads", #"{"title":"Tea","visibility":"private"}"#)
            #expect(made.status == 201 && made.object["visibility"] as? String == "private")
            let room = ThreadID(trusted: made.object["id"] as? String ?? "")
            try await alice.send("a word", in: room)
            try await fixture.persist()
            let none = try await Self.answers(bob, "nowhere")
            #expect(try await Self.answers(bob, room.text) == none)
            #expect(none.allSatisfy { $0.hasPrefix("404 ") })
            #expect(try await alice.call(.post, "/v1/threads/\(room)/members", #"{"user":"bob"}"#).status == 201)
            #expect(try await bob.get("/v1/threads/\(room)").object["visibility"] as? String == "private")
            #expect(try await bob.call(.delete, "/v1/threads/\(room)/members/bob").status == 204)
            try await fixture.recover()
            #expect(try await Self.answers(bob, room.text) == none)
        }
    }

    @Test("unlisted and private rooms are in no list; who knows an unlisted one joins it")
    func unlisted() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            var rooms: [String: String] = [:]
            for visibility in RoomVisibility.allCases.map(\.rawValue) {
                let made = try await alice.call(
                    .post, "/v1/threads", #"{"title":"\#(visibility)","visibility":"\#(visibility)"}"#)
                rooms[visibility] = made.object["id"] as? String
            }
            let listed = try await bob.get("/v1/threads/joinable").object["threads"] as? [[String: String]]
            #expect(listed?.map { $0["title"] } == ["public"])
            let path = "/v1/threads/\(rooms["unlisted"] ?? "")"
            #expect(try await bob.get(path).code == "not_a_member")
            #expect(try await bob.call(.post, path + "/members", #"{"user":"bob"}"#).status == 201)
            // By its title, a member enters it, and anybody else makes a public one.
            let entered = try await bob.call(.post, "/v1/threads", #"{"title":"unlisted"}"#)
            #expect(entered.object["id"] as? String == rooms["unlisted"])
            let carl = try await fixture.sessionUser("carl")
            let other = try await carl.call(.post, "/v1/threads", #"{"title":"unlisted"}"#)
            #expect(other.status == 201 && other.object["visibility"] as? String == "public")
        }
    }

    @Test("only the owner changes the visibility; a taken title is a conflict; the log has the event")
    func changes() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Tea")
            _ = try await bob.join("Tea")
            let path = "/v1/threads/\(room)"
            #expect(try await bob.call(.patch, path, #"{"visibility":"private"}"#).status == 403)
            #expect(try await alice.call(.patch, path, #"{"visibility":"secret"}"#).status == 400)
            #expect(try await alice.call(.patch, path, "{}").status == 400)
            let hidden = try await alice.call(.patch, path, #"{"visibility":"private"}"#)
            #expect(hidden.object["visibility"] as? String == "private")
            let carl = try await fixture.sessionUser("carl")
            #expect(try await carl.get(path).status == 404)
            #expect(try await carl.join("Tea") != room)
            let taken = try await alice.call(.patch, path, #"{"visibility":"public"}"#)
            #expect(taken.status == 409 && taken.code == "conflict")
            let both = try await alice.call(.patch, path, #"{"title":"Green tea","visibility":"public"}"#)
            #expect(both.object["title"] as? String == "Green tea" && both.object["visibility"] as? String == "public")
            try await fixture.recover()
            #expect(try await bob.events(room) == ["joined", "joined", "visibility", "renamed", "visibility"])
        }
    }

    @Test("who may create rooms is a setting; everybody joins what is there")
    func makers() async throws {
        let makers: [(RoomSettings.Makers, alice: Int, bob: Int)] = [
            (.everyone, 201, 201), (.operators, 201, 403), (.nobody, 403, 403),
        ]
        for (maker, alicesStatus, bobsStatus) in makers {
            try await RESTFixture.run({ $0.rooms.makers = maker }) { fixture in
                let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
                _ = try await fixture.store.setOperator(true, of: alice.user.id, at: 1)
                _ = try await fixture.store.room(titled: "There", newID: ThreadID(trusted: "there"), at: 1)
                for (user, status) in [(alice, alicesStatus), (bob, bobsStatus)] {
                    let body = #"{"title":"New of \#(user.user.name)"}"#
                    #expect(try await user.call(.post, "/v1/threads", body).status == status, "\(maker)")
                    #expect(try await user.call(.post, "/v1/threads", #"{"title":"There"}"#).status == 200)
                }
            }
        }
    }

    @Test("settings say what a room is that is created or imported without a visibility")
    func standards() async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run({
            $0.rooms.visibility = .unlisted
            $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)")
        }) { fixture in
            let alice = try await fixture.sessionUser("alice")
            let made = try await alice.call(.post, "/v1/threads", #"{"title":"Tea"}"#)
            #expect(made.object["visibility"] as? String == "unlisted")
            let lines = [
                #"{"thread":{"id":"t1","title":"One"}}"#,
                #"{"thread":{"id":"t2","title":"Two","visibility":"public"}}"#,
                #"{"thread":{"id":"t3","title":"Three","visibility":"open"}}"#,
            ]
            let report = try await fixture.send(
                .post, "/v1/admin/import", headers: [("Authorization", "Bearer \(key)")],
                body: Array(lines.joined(separator: "\n").utf8))
            #expect(report.object["threads"] as? Int == 2)
            let ids = ["t1", "t2", "t3"].map { ThreadID(trusted: $0) }
            let found = try await fixture.store.threads(ids).mapValues(\.visibility)
            #expect(found == [ids[0]: .private, ids[1]: .public])
        }
    }
}
