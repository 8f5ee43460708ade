import HTTPTypes
import ParleyAccounts
import Testing

@Suite("Pages of other origins")
struct OriginTests {
    private static let changing: [(HTTPRequest.Method, String)] = [
        (.post, "/messaging/add-chatroom"), (.post, "/v1/tickets"), (.get, "/auth/logout"), (.post, "/auth/logout"),
        (.get, "/messaging/load-messages?id=x"), (.post, "/auth/login"), (.post, "/auth/signup"),
    ]

    @Test("a foreign page changes nothing by the cookie", arguments: changing)
    func foreign(method: HTTPRequest.Method, path: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            for origin in [
                "https://evil.example", "null", "http://chat.example:81", "http://chat.example.evil.example",
            ] {
                let reply = try await fixture.send(method, path, headers: [alice.cookie, ("Origin", origin)])
                #expect(reply.status == 403, "\(origin)")
                #expect(reply.code == "forbidden")
                #expect(reply.header("Set-Cookie") == nil)
            }
            #expect(try await alice.get("/v1/me").status == 200)
        }
    }

    @Test(
        "a link or image on another site changes nothing by the cookie, with GET and without Origin",
        arguments: [
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
            [("Sec-Fetch-Site", "cross-site"), ("Referer", "https://evil.example/page")],
            [("Sec-Fetch-Site", "same-site"), ("Referer", "http://other.chat.example/")],
            [("Sec-Fetch-Site", "Cross-Site"), ("Referer", "//chat.example")],
        ])
    func navigation(headers: [(String, String)]) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            for path in ["/auth/logout", "/messaging/load-messages?id=x"] {
                let reply = try await fixture.send(.get, path, headers: [alice.cookie] + headers)
                #expect(reply.status == 403, "\(path)")
                #expect(reply.header("Set-Cookie") == nil)
            }
            #expect(try await alice.get("/v1/me").status == 200)
        }
    }

    @Test(
        "no part of a page logs out, whose page it ever is: a message may name any address as its picture",
        arguments: ["image", "video", "iframe", "Script"])
    func parts(use: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let headers = [alice.cookie, ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", use)]
            let reply = try await fixture.send(.get, "/auth/logout", headers: headers)
            #expect(reply.status == 403 && reply.code == "forbidden")
            #expect(reply.header("Set-Cookie") == nil)
            #expect(try await alice.get("/v1/me").status == 200)
        }
    }

    @Test(
        "no part of a page marks a thread as read: a message may name any address as its picture",
        arguments: ["image", "video", "iframe", "Style"])
    func partsRead(use: String) async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let thread = try await alice.join("garden")
            _ = try await bob.join("garden")
            func say(_ text: String) async throws {
                try await fixture.say(text, by: alice.user, in: thread)
                try await fixture.persist()
            }
            try await say("hello")
            let path = "/messaging/load-messages?id=\(thread)"
            let site = ("Sec-Fetch-Site", "same-origin")
            let reply = try await fixture.send(.get, path, headers: [bob.cookie, site, ("Sec-Fetch-Dest", use)])
            #expect(reply.status == 403 && reply.code == "forbidden")
            #expect(try await bob.inbox().map(\.unread) == [1])
            // A script marks, and so does a client that says nothing.
            for headers in [[site, ("Sec-Fetch-Dest", "empty")], []] {
                #expect(try await fixture.send(.get, path, headers: [bob.cookie] + headers).status == 200)
                #expect(try await bob.inbox().map(\.unread) == [0])
                try await say("again")
                #expect(try await bob.inbox().map(\.unread) == [1])
            }
        }
    }

    @Test(
        "a typed address, a page of this or an allowed host, and a program can log out by GET",
        arguments: [
            [], [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Dest", "document")],
            [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", "empty")],
            [("Sec-Fetch-Site", "cross-site"), ("Referer", "https://app.example/page?x=/y")],
            [("Sec-Fetch-Site", "same-site"), ("Origin", "https://app.example")],
        ])
    func logOut(headers: [(String, String)]) async throws {
        try await RESTFixture.run({ $0.settings.origins = try OriginPolicy(parsing: "https://app.example") }) {
            fixture in
            let alice = try await fixture.sessionUser("alice")
            #expect(try await fixture.send(.get, "/auth/logout", headers: [alice.cookie] + headers).status == 200)
            #expect(try await alice.get("/v1/me").status == 401)
        }
    }

    @Test(
        "pages of this host, allowed ones, and programs without Origin may",
        arguments: ["http://chat.example", "https://app.example", nil])
    func own(origin: String?) async throws {
        try await RESTFixture.run({ $0.settings.origins = try OriginPolicy(parsing: "https://app.example") }) {
            fixture in
            let alice = try await fixture.sessionUser("alice")
            let header = origin.map { [("Origin", $0)] } ?? []
            #expect(try await fixture.send(.post, "/v1/tickets", headers: header + [alice.cookie]).status == 201)
            let login = try await fixture.post(
                "/auth/login", form: ["username": "alice", "password": "correct horse"], headers: header)
            #expect(login.status == 200)
        }
    }

    @Test("reading by the cookie, and changing by Authorization, do not depend on the Origin")
    func harmless() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let origin = ("Origin", "https://evil.example")
            #expect(
                try await fixture.send(.get, "/messaging/load-inbox", headers: [alice.cookie, origin]).status == 200)
            let bearer = ("Authorization", "Bearer \(alice.session)")
            #expect(try await fixture.send(.post, "/v1/tickets", headers: [bearer, origin]).status == 201)
        }
    }
}
