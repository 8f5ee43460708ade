import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Users' own accounts over REST")
struct MeTests {
    @Test("a profile is visible to everybody, and unnamed fields are kept")
    func profile() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            #expect(try await alice.get("/v1/me").object["display_name"] == nil)
            let changed = try await alice.call(
                .patch, "/v1/me", #"{"display_name":"Alice 😀","avatar_url":"https://example.org/a.png"}"#)
            #expect(changed.status == 200)
            #expect(changed.object["display_name"] as? String == "Alice 😀")
            #expect(try await alice.call(.patch, "/v1/me", #"{"avatar_url":null}"#).status == 200)
            let seen = try await bob.get("/v1/users/\(alice.user.id)").object
            #expect(seen["display_name"] as? String == "Alice 😀")
            #expect(seen["avatar_url"] == nil)
            let list = try await bob.get("/v1/users?prefix=al").object["users"] as? [[String: Any]]
            #expect(list?.map { $0["display_name"] as? String } == ["Alice 😀"])
            #expect((try await bob.get("/v1/users").object["users"] as? [Any])?.count == 2)
            for json in [#"{"avatar_url":"javascript:x"}"#, #"{"display_name":"a\nb"}"#, #"{"password":"short"}"#] {
                #expect(try await alice.call(.patch, "/v1/me", json).status == 400)
            }
        }
    }

    @Test("a display name from before the rules for it keeps nobody from changing the rest")
    func earlierName() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let name = "Alice\u{202E}"
            #expect(try await fixture.store.setProfile(Profile(displayName: name), of: alice.user.id))
            for json in [
                #"{"avatar_url":"https://example.org/a.png"}"#,
                #"{"old_password":"correct horse","password":"battery staple"}"#,
            ] {
                let changed = try await alice.call(.patch, "/v1/me", json)
                #expect(changed.status == 200 && changed.object["display_name"] as? String == name)
            }
            let other = try await alice.call(.patch, "/v1/me", #"{"display_name":"Bob\u202E"}"#)
            #expect(other.status == 400)
        }
    }

    @Test("a new password replaces the old one, and ends the other sessions")
    func password() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let login = try await fixture.post("/auth/login", form: ["username": "alice", "password": "correct horse"])
            let other = SessionUser(fixture: fixture, user: alice.user, session: try #require(login.session))
            #expect(try await other.get("/v1/me").status == 200)
            fixture.node.subscribe(to: [.user(alice.user.id)]) { _ in }
            #expect(
                try await alice.call(.patch, "/v1/me", #"{"old_password":"correct horse","password":"battery staple"}"#)
                    .status == 200)
            #expect(try await other.get("/v1/me").status == 401)
            #expect(try await alice.get("/v1/me").status == 200)
            let revoked = fixture.heard.all.filter { signal in
                if case .control(.sessionRevoked, alice.user.id) = signal { true } else { false }
            }
            #expect(revoked.count == 1)
            for (password, status) in [("correct horse", 401), ("battery staple", 200)] {
                let reply = try await fixture.post("/auth/login", form: ["username": "alice", "password": password])
                #expect(reply.status == status)
            }
        }
    }

    private static let change = #"{"display_name":"Eve","old_password":"%","password":"battery staple"}"#

    @Test(
        "a password change needs the old one; a missing or wrong one counts as a failed login",
        arguments: [nil, "", "wrong horse", "battery staple", "correct horse "] as [String?])
    func oldPassword(_ old: String?) async throws {
        try await RESTFixture.run {
            $0.settings.limits.loginFailuresPerAccountPerMinute = 2
        } _: { fixture in
            let alice = try await fixture.sessionUser("alice")
            let json =
                old.map { Self.change.replacing("%", with: $0) }
                ?? #"{"display_name":"Eve","password":"battery staple"}"#
            for _ in 0..<2 {
                let refused = try await alice.call(.patch, "/v1/me", json)
                #expect(refused.status == 403)
                #expect(refused.code == "forbidden")
                #expect(refused.message?.contains("old_password") == true)
            }
            // The right password has to wait too, as for a login.
            let late = try await alice.call(.patch, "/v1/me", Self.change.replacing("%", with: "correct horse"))
            #expect(late.status == 429)
            #expect(late.header("Retry-After") != nil)
            // A login elsewhere is not delayed by it.
            let login = ["username": "alice", "password": "correct horse"] as KeyValuePairs
            #expect(try await fixture.post("/auth/login", form: login).status == 200)
            fixture.clock.advance(milliseconds: 61_000)
            // Nothing has changed, and without a password change none is required.
            #expect(try await fixture.post("/auth/login", form: login).status == 200)
            #expect(try await alice.get("/v1/me").object["display_name"] == nil)
            #expect(try await alice.call(.patch, "/v1/me", #"{"display_name":"Alice"}"#).status == 200)
        }
    }

    @Test("an API key, or a user without a password, sets none, unless a setting allows it", arguments: [false, true])
    func noOldPassword(isAllowed: Bool) async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run {
            $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)")
            $0.settings.allowsTokenPasswords = isAllowed
        } _: { fixture in
            let alice = try await fixture.sessionUser("alice")
            let headers = [
                ("Authorization", "Bearer \(key)"), ("X-Parley-User", "alice"), ("Content-Type", "application/json"),
            ]
            for json in [
                #"{"password":"battery staple"}"#, #"{"password":"battery stapler","old_password":"battery staple"}"#,
            ] {
                let byKey = try await fixture.send(.patch, "/v1/me", headers: headers, body: Array(json.utf8))
                #expect(byKey.status == (isAllowed ? 200 : 403))
                #expect(byKey.code == (isAllowed ? nil : "forbidden"))
            }
            // All of their sessions have ended.
            #expect(try await alice.get("/v1/me").status == (isAllowed ? 401 : 200))

            for (name, hash) in [("bob", nil), ("carol", "!unusable"), ("dave", "bcrypt$2b$x")] as [(String, String?)] {
                let user = User(id: UserID(trusted: "id-\(name)"), name: name)
                try await fixture.store.createUser(user, passwordHash: hash)
                let (token, session) = SessionTokens.make()
                try await fixture.store.createSession(AuthSession(tokenHash: session, user: user, expires: .max / 2))
                let sessionUser = SessionUser(fixture: fixture, user: user, session: token)
                let first = try await sessionUser.call(.patch, "/v1/me", #"{"password":"correct horse"}"#)
                #expect(first.status == (isAllowed ? 200 : 403))
                // If set, there is a password to verify from now on.
                let second = try await sessionUser.call(.patch, "/v1/me", #"{"password":"battery staple"}"#)
                #expect(second.status == 403)
                #expect(try await sessionUser.call(.patch, "/v1/me", #"{"display_name":"x"}"#).status == 200)
            }
        }
    }

    @Test("an operator sets a password, which ends all sessions of the user")
    func passwordByOperator() async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run {
            $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)")
        } _: { fixture in
            let alice = try await fixture.sessionUser("alice")
            func set(_ user: String, _ json: String) async throws -> Reply {
                try await fixture.send(
                    .put, "/v1/admin/users/\(user)/password",
                    headers: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")],
                    body: Array(json.utf8))
            }
            #expect(try await set("alice", #"{"password":"short"}"#).status == 400)
            #expect(try await set("nobody", #"{"password":"battery staple"}"#).status == 404)
            #expect(try await set("alice", #"{"password":"battery staple"}"#).status == 204)
            #expect(try await alice.get("/v1/me").status == 401)
            let login = ["username": "alice", "password": "battery staple"] as KeyValuePairs
            #expect(try await fixture.post("/auth/login", form: login).status == 200)
        }
    }

    @Test("an erased user is unknown at once; texts are gone, positions and counts stay")
    func erase() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            _ = try await bob.join("Room")
            try await alice.send("secret", in: room)
            try await bob.send("mine", in: room)
            try await alice.send("secret too", in: room)
            try await fixture.persist()
            let unread = try await bob.inbox().first?.unread
            fixture.node.subscribe(to: [.user(alice.user.id)]) { _ in }
            let reply = try await alice.call(.delete, "/v1/me")
            #expect(reply.status == 204)
            #expect(reply.session == "")
            #expect(fixture.heard.all.contains(.control(.erased, alice.user.id)))
            #expect(try await alice.get("/v1/me").status == 401)
            #expect(try await bob.get("/v1/users/\(alice.user.id)").status == 404)
            let login = try await fixture.post("/auth/login", form: ["username": "alice", "password": "correct horse"])
            #expect(login.status == 401)
            try await fixture.persist()
            let messages = try await bob.messages(room)
            #expect(messages.map { $0["text"] as? String } == ["", "mine", ""])
            #expect(messages.map { $0["erased"] as? Bool } == [true, nil, true])
            #expect(try await bob.inbox().first?.unread == unread)
            #expect(try await bob.events(room).last == "left")
            #expect(try await !bob.get("/v1/threads/\(room)/events").text.contains("\"alice\""))
            // The name is free.
            #expect(try await fixture.sessionUser("alice").user.id != alice.user.id)
        }
    }

    @Test("an export has a line for the user, each thread and each sent message")
    func export() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            _ = try await bob.join("Room")
            for number in 0..<1100 { try await fixture.say("\(number)", by: alice.user, in: room) }
            try await bob.send("not mine", in: room)
            try await fixture.persist()
            let reply = try await alice.get("/v1/me/export")
            #expect(reply.status == 200)
            #expect(reply.header("Content-Type") == "application/x-ndjson")
            let lines = try reply.text.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: [String: Any]])
            }
            #expect(lines.first?["user"]?["username"] as? String == "alice")
            #expect(lines.compactMap { $0["thread"]?["title"] as? String } == ["Room"])
            let texts = lines.compactMap { $0["message"]?["text"] as? String }
            #expect(Set(texts) == Set((0..<1100).map(String.init)))
            #expect(texts.count == 1100)
        }
    }

    @Test("a page of a foreign origin changes nothing", arguments: ["/v1/me"])
    func foreignOrigin(path: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let headers = [("Origin", "https://evil.example")]
            #expect(try await alice.call(.patch, path, #"{"display_name":"x"}"#, headers: headers).status == 403)
            #expect(try await alice.call(.delete, path, headers: headers).status == 403)
            #expect(try await alice.get(path).object["display_name"] == nil)
        }
    }

    @Test("the user's sessions are listed, and one of them is ended; those of others are unknown")
    func sessions() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let login = try await fixture.post(
                "/auth/login", form: ["username": "alice", "password": "correct horse"])
            let phone = SessionUser(fixture: fixture, user: alice.user, session: try #require(login.session))
            let listed = try #require(try await alice.get("/v1/me/sessions").object["sessions"] as? [[String: Any]])
            #expect(listed.compactMap { $0["current"] as? Bool }.sorted { $0 && !$1 } == [true, false])
            let other = try #require(listed.first { $0["current"] as? Bool == false }?["id"] as? String)
            #expect(try await bob.call(.delete, "/v1/me/sessions/\(other)", "").status == 404)
            #expect(try await phone.get("/v1/me").status == 200)
            #expect(try await alice.call(.delete, "/v1/me/sessions/\(other)", "").status == 204)
            #expect(try await phone.get("/v1/me").status == 401)
            #expect(try await alice.call(.delete, "/v1/me/sessions/\(other)", "").status == 404)
            #expect(try await alice.get("/v1/me").status == 200)
        }
    }

    @Test("all sessions are listed page by page, and all but one's own are ended")
    func manySessions() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let now = fixture.clock.milliseconds
            for number in 1...250 {
                let (_, hash) = SessionTokens.make()
                try await fixture.store.createSession(
                    AuthSession(tokenHash: hash, user: alice.user, expires: now + Int64(number / 10 + 1) * 1000))
            }
            var (ids, cursor): ([String], String?) = ([], "")
            for page in 0..<3 where cursor != nil {
                let query = page == 0 ? "" : "?cursor=\(cursor ?? "")"
                let reply = try await alice.get("/v1/me/sessions\(query)").object
                let sessions = try #require(reply["sessions"] as? [[String: Any]])
                ids += sessions.compactMap { $0["id"] as? String }
                #expect(sessions.count == (page == 0 ? 200 : 51))
                cursor = reply["next_cursor"] as? String
            }
            #expect(Set(ids).count == 251)
            #expect(cursor == nil)
            // The last of them can be ended too.
            let last = try #require(ids.last)
            #expect(try await alice.call(.delete, "/v1/me/sessions/\(last)", "").status == 204)
            for query in ["limit=0", "limit=201", "cursor=x", "cursor=5.\(ids[0])%22", "cursor=5."] {
                #expect(try await alice.get("/v1/me/sessions?\(query)").status == 400, "\(query)")
            }
            #expect(try await alice.call(.delete, "/v1/me/sessions", "").status == 204)
            let left = try await alice.get("/v1/me/sessions").object["sessions"] as? [[String: Any]]
            #expect(left?.count == 1)
            #expect(left?.first?["current"] as? Bool == true)
        }
    }
}
