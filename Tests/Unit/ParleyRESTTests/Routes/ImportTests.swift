import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Imports by a back end")
struct ImportTests {
    private static let key = "pk_0123456789abcdef0123456789abcdef"
    private static let service = [("Authorization", "Bearer \(key)"), ("Content-Type", "application/x-ndjson")]

    /// A fixture with the API key.
    private static func run(_ test: (RESTFixture) async throws -> Void) async throws {
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }, test)
    }

    private static func send(_ lines: String..., to fixture: RESTFixture) async throws -> Reply {
        try await send(lines, to: fixture)
    }

    private static func send(_ lines: [String], to fixture: RESTFixture) async throws -> Reply {
        try await fixture.send(
            .post, "/v1/admin/import", headers: service, body: Array(lines.joined(separator: "\n").utf8))
    }

    /// `line code` for each error.
    private static func errors(_ reply: Reply) throws -> [String] {
        let errors = try #require(reply.object["errors"] as? [[String: Any]], "\(reply.text)")
        return errors.map { "\($0["line"] ?? "?") \($0["code"] ?? "?")" }
    }

    private static let example = [
        #"{"user":{"id":"7","username":"ann","password":"correct horse","email":"ignored"}}"#,
        #"{"user":{"id":8,"username":"bob"}}"#,
        #"{"thread":{"id":"t-1","title":" Tea ","kind":"room","visibility":"public"}}"#,
        #"{"member":{"thread":"t-1","user":"7","role":"owner"}}"#,
        #"{"member":{"thread":"t-1","user":8}}"#,
    ]

    @Test("create users, rooms and memberships; a repeat changes nothing")
    func example() async throws {
        try await Self.run { fixture in
            let reply = try await Self.send(Self.example, to: fixture)
            #expect(reply.status == 200)
            #expect(
                reply.text == #"{"users":2,"threads":1,"members":2,"unchanged":0,"errors":[],"errors_omitted":0}"#)
            let login = try await fixture.post("/auth/login", form: ["username": "ann", "password": "correct horse"])
            #expect(login.text == #"{"id":"7","username":"ann"}"#)
            let ann = SessionUser(
                fixture: fixture, user: User(id: UserID(trusted: "7"), name: "ann"),
                session: try #require(login.session))
            let list = try await ann.get("/v1/threads").text
            #expect(
                list
                    == #"{"threads":[{"id":"t-1","title":"Tea","kind":"room","visibility":"public","role":"owner","epoch":null,"seq":0,"#
                    + #""unread":0,"read_seq":0,"last_message":null}],"next_cursor":null}"#)
            // Without a password there is no password login.
            #expect(
                try await fixture.post("/auth/login", form: ["username": "bob", "password": "correct horse"]).status
                    == 401)
            // The log has no event of it.
            #expect(try await ann.get("/v1/threads/t-1/events").object["head_seq"] as? Int == 0)
            #expect(try await fixture.joins(in: ThreadID(trusted: "t-1")).isEmpty)

            let changed = [Self.example[0].replacing("correct horse", with: "other horse")] + Self.example.dropFirst()
            let again = try await Self.send(Array(changed), to: fixture)
            #expect(
                again.text == #"{"users":0,"threads":0,"members":0,"unchanged":5,"errors":[],"errors_omitted":0}"#)
            #expect(
                try await fixture.post("/auth/login", form: ["username": "ann", "password": "correct horse"]).status
                    == 200)
            // A user who joins by the title gets the same room.
            let cat = try await fixture.sessionUser("cat")
            #expect(try await cat.join("Tea") == ThreadID(trusted: "t-1"))
        }
    }

    @Test("accept password hashes of Django unchanged")
    func hashes() async throws {
        try await Self.run { fixture in
            let hash = try #require(PasswordHasher(iterations: 3).hash("correct horse"))
            let reply = try await Self.send(
                #"{"user":{"id":"7","username":"ann","password_hash":"\#(hash)"}}"#,
                #"{"user":{"id":"8","username":"bob","password_hash":"md5$a$b"}}"#, to: fixture)
            #expect(try Self.errors(reply) == ["2 bad_request"])
            #expect(try await fixture.store.credentials(named: "ann")?.passwordHash == hash)
            #expect(
                try await fixture.post("/auth/login", form: ["username": "ann", "password": "correct horse"]).status
                    == 200)
        }
    }

    @Test("notify the live sockets of new members, and only those")
    func signals() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            try await fixture.say("hi", by: alice.user, in: thread)
            try await fixture.persist()
            let bob = try await fixture.sessionUser("bob")
            #expect(try await bob.get("/v1/threads/\(thread)/messages").status == 403)
            for user in [alice.user, bob.user] {
                await withCheckedContinuation { done in
                    fixture.node.subscribe(to: [.user(user.id)]) { _ in done.resume() }
                }
            }
            let lines = [alice, bob].map { #"{"member":{"thread":"\#(thread)","user":"\#($0.user.name)"}}"# }
            #expect(try await Self.send(lines, to: fixture).object["members"] as? Int == 1)
            let info = ThreadInfo(id: thread, kind: .room, title: "Room")
            let added = ControlEvent.added(Membership(thread: info, role: .member), after: 2)
            #expect(try await eventually { !fixture.heard.control(of: bob.user.id).isEmpty })
            #expect(fixture.heard.control(of: bob.user.id) == [added])
            #expect(fixture.heard.control(of: alice.user.id).isEmpty)
            #expect(try await bob.inbox().first?.unread == 0)
            #expect(try await bob.get("/v1/threads/\(thread)/messages").status == 200)
        }
    }

    @Test("report the error of each line, and import the rest")
    func violations() async throws {
        let cases: [(line: String, code: String?)] = [
            (#"{"user":{"id":"7","username":"ann"}}"#, nil),
            ("", nil), (" \t", nil),
            ("nonsense", "bad_request"), ("[]", "bad_request"), ("{}", "bad_request"), ("null", "bad_request"),
            (#"{"user":1}"#, "bad_request"), (#"{"user":null}"#, "bad_request"), (#"{"other":{}}"#, "bad_request"),
            (#"{"user":{"id":"9","username":"x"},"thread":{"id":"t","title":"t"}}"#, "bad_request"),
            (#"{"user":{"username":"x"}}"#, "bad_request"), (#"{"user":{"id":"9"}}"#, "bad_request"),
            (#"{"user":{"id":"not a valid id","username":"x"}}"#, "bad_request"),
            (#"{"user":{"id":1.5,"username":"x"}}"#, "bad_request"),
            (#"{"user":{"id":"","username":"x"}}"#, "bad_request"),
            (#"{"user":{"id":"9","username":"a b"}}"#, "bad_request"),
            (#"{"user":{"id":"9","username":"x","password":"short"}}"#, "bad_request"),
            (#"{"user":{"id":"9","username":"x","password":"long enough\u0000"}}"#, "bad_request"),
            (#"{"user":{"id":"7","username":"Ann"}}"#, "conflict"),
            (#"{"user":{"id":"9","username":"ann"}}"#, "conflict"),
            (#"{"thread":{"id":"t","title":"Tea","visibility":"public"}}"#, nil),
            (#"{"thread":{"id":"t","title":"Milk"}}"#, "conflict"),
            (#"{"thread":{"id":"u","title":"Tea","visibility":"public"}}"#, "conflict"),
            (#"{"thread":{"id":"u","title":"U","visibility":"open"}}"#, "bad_request"),
            (#"{"thread":{"id":"u"}}"#, "bad_request"), (#"{"thread":{"id":"u","title":" "}}"#, "bad_request"),
            (#"{"thread":{"id":"u","title":"a\nb"}}"#, "bad_request"),
            (#"{"thread":{"id":"u.events","title":"U"}}"#, "bad_request"),
            (#"{"thread":{"id":"direct.u","title":"U"}}"#, "bad_request"),
            (#"{"thread":{"id":"u","title":"U","kind":"direct"}}"#, "bad_request"),
            (#"{"thread":{"id":"u","title":"U","kind":"castle"}}"#, "bad_request"),
            (#"{"thread":{"id":"\#(String(repeating: "u", count: 91))","title":"U"}}"#, "bad_request"),
            (#"{"member":{"thread":"t"}}"#, "bad_request"), (#"{"member":{"user":"7"}}"#, "bad_request"),
            (#"{"member":{"thread":"u","user":"7"}}"#, "not_found"),
            (#"{"member":{"thread":"t","user":"nobody"}}"#, "not_found"),
            (#"{"member":{"thread":"t","user":"7","role":"king"}}"#, "bad_request"),
            (#"{"member":{"thread":"t","user":"ａnn","role":"moderator"}}"#, nil),
            (#"{"member":{"thread":"t","user":"ann","role":"owner"}}"#, "conflict"),
        ]
        try await Self.run { fixture in
            let reply = try await Self.send(cases.map(\.line), to: fixture)
            let expected = cases.enumerated().compactMap { number, item in
                item.code.map { "\(number + 1) \($0)" }
            }
            #expect(reply.status == 200)
            #expect(try Self.errors(reply) == expected)
            let counts = ["users", "threads", "members", "unchanged"].map { reply.object[$0] as? Int }
            #expect(counts == [1, 1, 1, 0])
            let messages = (reply.object["errors"] as? [[String: Any]])?.compactMap { $0["message"] as? String }
            #expect(messages?.allSatisfy { !$0.isEmpty } == true)
        }
    }

    @Test("may arrive in pieces of any size, with any line ends")
    func pieces() async throws {
        try await Self.run { fixture in
            var bytes = Array((Self.example.joined(separator: "\r\n") + "\r\n\n").utf8)
            bytes += Array(#"{"user":{"id":"x","username":""#.utf8) + [0xFF] + Array(#""}}"#.utf8)
            bytes += [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: "a"), count: 70_000)
            bytes += Array("\n{\"user\":{\"id\":\"9\",\"username\":\"dan\"}}".utf8)
            let reply = try await fixture.post(
                "/v1/admin/import", pieces: bytes.map { [$0] }, headers: Self.service)
            #expect(try Self.errors(reply) == ["7 bad_request", "8 too_large"])
            #expect(reply.object["users"] as? Int == 3)
            #expect(reply.object["members"] as? Int == 2)
        }
    }

    @Test("of thousands of lines are batched; errors beyond a thousand are only counted")
    func many() async throws {
        try await Self.run { fixture in
            var lines: [String] = [#"{"thread":{"id":"t","title":"All"}}"#]
            for number in 0..<2600 {
                lines.append(#"{"user":{"id":"u\#(number)","username":"user-\#(number)"}}"#)
                lines.append(#"{"member":{"thread":"t","user":"u\#(number)"}}"#)
                if number % 2 == 0 { lines.append("?") }
            }
            let reply = try await Self.send(lines, to: fixture)
            #expect(reply.object["users"] as? Int == 2600)
            #expect(reply.object["members"] as? Int == 2600)
            #expect((reply.object["errors"] as? [Any])?.count == 1000)
            #expect(reply.object["errors_omitted"] as? Int == 300)
            #expect(try await fixture.store.users(prefix: "user-", limit: 5000).count == 2600)
            let empty = try await Self.send(to: fixture)
            #expect(
                empty.text == #"{"users":0,"threads":0,"members":0,"unchanged":0,"errors":[],"errors_omitted":0}"#)
        }
    }

    @Test("require an API key that acts for nobody")
    func rejections() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let cases: [([(String, String)], Int)] = [
                ([], 401), ([("Authorization", "Bearer pk_wrong")], 401), ([alice.cookie], 403),
                ([("Authorization", "Bearer \(alice.session)")], 403),
                ([("Authorization", "Bearer \(Self.key)"), ("X-Parley-User", "alice")], 403),
            ]
            for (headers, status) in cases {
                let reply = try await fixture.send(
                    .post, "/v1/admin/import", headers: headers, body: Array(Self.example[0].utf8))
                #expect(reply.status == status)
            }
            #expect(try await fixture.store.users(prefix: "ann", limit: 1).isEmpty)
            #expect(try await fixture.send(.get, "/v1/admin/import", headers: Self.service).status == 405)
        }
    }

    @Test("accept a stored key until it is revoked")
    func storedKeys() async throws {
        try await RESTFixture.run { fixture in
            let (key, hash) = APIKeys.make()
            try await fixture.store.createAPIKey(APIKeyRecord(name: "django", hash: hash, created: 1))
            let headers = [("Authorization", "Bearer \(key)")]
            func send() async throws -> Int {
                try await fixture.send(
                    .post, "/v1/admin/import", headers: headers, body: Array(Self.example[0].utf8)
                ).status
            }
            #expect(try await send() == 200)
            #expect(try await fixture.store.revokeAPIKey(named: "django"))
            #expect(try await send() == 401)
        }
    }

    @Test("fail with 503 while the database is unavailable, and can be repeated")
    func databaseAway() async throws {
        try await Self.run { fixture in
            try await fixture.store.close()
            let reply = try await Self.send(Self.example, to: fixture)
            #expect(reply.status == 503)
            #expect(reply.header("Retry-After") == "1")
        }
    }
}
