import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleyREST
import ParleySQLite
import ParleyTestContracts
import Testing

@Suite("Sign-up, login and logout")
struct AuthTests {
    @Test("signing up by form or JSON returns the user and sets the cookie with all its flags")
    func signUp() async throws {
        try await RESTFixture.run { fixture in
            let form = try await fixture.post(
                "/auth/signup", form: ["username": "alice", "password": "correct horse"])
            #expect(form.status == 200)
            let id = try #require(form.object["id"] as? String)
            #expect(form.text == #"{"id":"\#(id)","username":"alice"}"#)
            #expect(form.header("Content-Type") == "application/json; charset=utf-8")
            let token = try #require(form.session)
            #expect(token.count == SessionTokens.length)
            #expect(form.cookies.first == "sessionid=\(token); Max-Age=1209600; Path=/; HttpOnly; SameSite=Lax")
            #expect(form.cookies.count == 2)
            #expect(form.cookies.last?.hasPrefix("sessionid_device=") == true)
            #expect(form.cookies.last?.hasSuffix("; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax") == true)

            let json = try await fixture.post(
                "/auth/signup", json: #"{"username":"b\u00f6b","password":"correct horse","more":[1,{}]}"#)
            #expect(json.status == 200)
            #expect(json.object["username"] as? String == "böb")
            let me = try await fixture.send(.get, "/v1/me", headers: [("Cookie", "sessionid=\(json.session ?? "")")])
            #expect(me.text == json.text)
        }
    }

    @Test("each login creates a new session")
    func logIn() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let reply = try await fixture.post("/auth/login", json: #"{"username":"alice","password":"correct horse"}"#)
            #expect(reply.status == 200)
            #expect(reply.object["id"] as? String == alice.user.id.text)
            #expect(reply.session?.isEmpty == false)
            #expect(reply.session != alice.session)
            #expect(try await alice.get("/v1/me").status == 200)
        }
    }

    @Test(
        "missing, invalid or taken fields are rejected",
        arguments: [
            ("/auth/signup", #"{"username":"alice","password":"correct horse"}"#, 403, "forbidden"),
            ("/auth/signup", #"{"username":"carol"}"#, 400, "bad_request"),
            ("/auth/signup", #"{"password":"correct horse"}"#, 400, "bad_request"),
            ("/auth/signup", #"{"username":"","password":"correct horse"}"#, 400, "bad_request"),
            ("/auth/signup", #"{"username":"car ol","password":"correct horse"}"#, 400, "bad_request"),
            ("/auth/signup", #"{"username":"carol","password":"1234567"}"#, 400, "bad_request"),
            ("/auth/signup", #"{"username":7,"password":"correct horse"}"#, 400, "bad_request"),
            ("/auth/signup", #"{"username":"carol\u0000","password":"correct horse"}"#, 400, "bad_request"),
            ("/auth/login", #"{"username":"alice","password":"wrong horse"}"#, 401, "unauthorized"),
            ("/auth/login", #"{"username":"nobody","password":"correct horse"}"#, 401, "unauthorized"),
            ("/auth/login", #"{"username":"alice","password":null}"#, 400, "bad_request"),
            ("/auth/login", #"{"password":"correct horse"}"#, 400, "bad_request"),
        ])
    func rejections(path: String, body: String, status: Int, code: String) async throws {
        try await RESTFixture.run { fixture in
            _ = try await fixture.sessionUser("alice")
            let reply = try await fixture.post(path, json: body)
            #expect(reply.status == status)
            #expect(reply.code == code)
            #expect(reply.message?.isEmpty == false)
            #expect(reply.header("Set-Cookie") == nil)
            #expect((reply.header("WWW-Authenticate") != nil) == (status == 401))
        }
    }

    @Test("sign-up can be disabled")
    func closed() async throws {
        try await RESTFixture.run({ $0.settings.allowsSignup = false }) { fixture in
            let reply = try await fixture.post(
                "/auth/signup", form: ["username": "alice", "password": "correct horse"])
            #expect(reply.status == 403)
            #expect(reply.code == "forbidden")
        }
    }

    @Test("after ten failures an account at its address, after thirty a client address is rejected for a while")
    func throttling() async throws {
        try await RESTFixture.run({ $0.proxies = try TrustedProxies(parsing: "192.0.2.1") }) { fixture in
            _ = try await fixture.sessionUser("alice")
            func logIn(_ name: String, from address: String) async throws -> Reply {
                try await fixture.post(
                    "/auth/login", form: ["username": name, "password": "wrong horse"],
                    headers: [("X-Forwarded-For", address)])
            }
            for _ in 0..<10 { #expect(try await logIn("alice", from: "198.51.100.1").status == 401) }
            #expect(try await logIn("alice", from: "198.51.100.2").status == 401)
            let reply = try await logIn("alice", from: "198.51.100.1")
            #expect(reply.status == 429)
            #expect(reply.code == "rate_limited")
            #expect((1...60).contains(try #require(reply.header("Retry-After").flatMap { Int($0) })))

            for number in 0..<30 {
                #expect(try await logIn("user\(number)", from: "203.0.113.9").status == 401)
            }
            #expect(try await logIn("user30", from: "203.0.113.9").status == 429)
            #expect(try await logIn("user30", from: "203.0.113.10").status == 401)
        }
    }

    @Test("a device that has logged in before gets in while others are rejected, by login and by Basic")
    func knownDevice() async throws {
        try await RESTFixture.run { fixture in
            _ = try await fixture.sessionUser("alice")
            let right = ["username": "alice", "password": "correct horse"] as KeyValuePairs
            let first = try await fixture.post("/auth/login", form: right)
            let device = try #require(first.cookies.last?.split(separator: ";").first.map(String.init))
            for _ in 0..<10 {
                let wrong = try await fixture.post(
                    "/auth/login", form: ["username": "alice", "password": "wrong horse"])
                #expect(wrong.status == 401)
            }
            #expect(try await fixture.post("/auth/login", form: right).status == 429)
            let known = [("Cookie", "theme=dark; \(device)")]
            #expect(try await fixture.post("/auth/login", form: right, headers: known).status == 200)
            let basic = [("Authorization", "Basic \(Data("alice:correct horse".utf8).base64EncodedString())")]
            #expect(try await fixture.send(.get, "/v1/me", headers: basic).status == 429)
            #expect(try await fixture.send(.get, "/v1/me", headers: basic + known).status == 200)
        }
    }

    @Test(
        "logging out by GET or POST ends the session and notifies every node",
        arguments: [HTTPRequest.Method.get, .post])
    func logOut(method: HTTPRequest.Method) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            fixture.node.subscribe(to: [.user(alice.user.id)]) { _ in }
            let reply = try await fixture.send(method, "/auth/logout", headers: [alice.cookie])
            #expect(reply.status == 200)
            #expect(
                reply.header("Set-Cookie")
                    == "sessionid=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/; HttpOnly; SameSite=Lax")
            #expect(try await alice.get("/v1/me").status == 401)
            #expect(
                fixture.heard.control(of: alice.user.id) == [.sessionRevoked(SessionTokens.hash(of: alice.session))])
            // Repeated, and without any session, it is not an error.
            #expect(try await fixture.send(method, "/auth/logout", headers: [alice.cookie]).status == 200)
            #expect(try await fixture.send(method, "/auth/logout").status == 200)
        }
    }

    @Test("a session can also be ended by its token in Authorization; Basic ends none")
    func otherCredentials() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            // alice:correct horse
            let basic = ("Authorization", "Basic YWxpY2U6Y29ycmVjdCBob3JzZQ==")
            #expect(try await fixture.send(.post, "/auth/logout", headers: [basic, alice.cookie]).status == 200)
            #expect(try await alice.get("/v1/me").status == 200)
            let bearer = ("Authorization", "Bearer \(alice.session)")
            #expect(try await fixture.send(.post, "/auth/logout", headers: [bearer]).status == 200)
            #expect(try await alice.get("/v1/me").status == 401)
        }
    }

    @Test(
        "Secure is set under TLS, by a trusted proxy's header or by the setting",
        arguments: [
            (SessionCookie.Secure.automatic, "https", "192.0.2.1", true), (.automatic, "http", "192.0.2.1", false),
            (.automatic, "https", "198.51.100.1", false), (.always, "http", "198.51.100.1", true),
            (.never, "https", "192.0.2.1", false),
        ])
    func secure(setting: SessionCookie.Secure, proto: String, peer: String, isSecure: Bool) async throws {
        try await RESTFixture.run({
            $0.proxies = try TrustedProxies(parsing: "192.0.2.0/24")
            $0.cookie.secure = setting
        }) { fixture in
            let reply = try await fixture.post(
                "/auth/signup", form: ["username": "alice", "password": "correct horse"],
                headers: [("X-Forwarded-Proto", proto)], peer: peer)
            #expect(reply.header("Set-Cookie")?.hasSuffix("; SameSite=Lax; Secure") == isSecure)
            let gone = try await fixture.send(
                .post, "/auth/logout", headers: [("X-Forwarded-Proto", proto)], peer: peer)
            #expect(gone.header("Set-Cookie")?.hasSuffix("; SameSite=Lax; Secure") == isSecure)
        }
    }

    @Test("an unavailable database is 503 with Retry-After")
    func storeAway() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            try await fixture.store.close()
            for reply in [
                try await fixture.post("/auth/login", form: ["username": "alice", "password": "correct horse"]),
                try await fixture.post("/auth/signup", form: ["username": "bob", "password": "correct horse"]),
                try await alice.get("/messaging/load-inbox"), try await alice.post("/auth/logout"),
            ] {
                #expect(reply.status == 503)
                #expect(reply.code == "unavailable")
                #expect(reply.header("Retry-After") == "1")
            }
        }
    }
}
