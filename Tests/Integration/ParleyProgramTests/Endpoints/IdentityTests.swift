import Crypto
import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The four ways to say who one is (PROTOCOL §1), on a socket and in REST.
    @Suite struct IdentityTests {
        private static let key = "a-shared-secret-of-enough-bytes-for-hs256"

        private func status(_ parley: ParleyProcess, bearer token: String, _ more: HTTPClient.Headers = []) async throws
            -> Int
        {
            try await TestSocket.open(port: parley.port, headers: [("Authorization", "Bearer \(token)")] + more).status
        }

        @Test("a JWT signed with the shared secret is good for a known user, from any origin")
        func hs256() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_JWT_HS256_KEY": Self.key])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let sub = JSONValue.string(alice.id)
            let good = TokenSigner.hs256(["sub": sub, "exp": TokenSigner.time(60)], key: Self.key)
            #expect(try await status(parley, bearer: good, [("Origin", "https://elsewhere.example")]) == 101)
            let inbox = try await parley.http.get(
                "/messaging/load-inbox", headers: [("Authorization", "Bearer \(good)")])
            #expect(inbox.status == 200)

            let bad: [(String, String)] = [
                ("unknown user", TokenSigner.hs256(["sub": "nobody", "exp": TokenSigner.time(60)], key: Self.key)),
                ("expired", TokenSigner.hs256(["sub": sub, "exp": TokenSigner.time(-30)], key: Self.key)),
                (
                    "not yet valid",
                    TokenSigner.hs256(
                        ["sub": sub, "exp": TokenSigner.time(90), "nbf": TokenSigner.time(60)], key: Self.key)
                ),
                ("another key", TokenSigner.hs256(["sub": sub, "exp": TokenSigner.time(60)], key: Self.key + "x")),
                (
                    "alg none",
                    TokenSigner.hs256(
                        ["sub": sub, "exp": TokenSigner.time(60)], key: Self.key, header: ["alg": "none", "typ": "JWT"])
                ),
                ("no signature", good.split(separator: ".").prefix(2).joined(separator: ".") + "."),
                ("no token", "x.y.z"),
            ]
            for (name, token) in bad { #expect(try await status(parley, bearer: token) == 401, "\(name)") }
            // Within the leeway of 10 s.
            let justOver = TokenSigner.hs256(["sub": sub, "exp": TokenSigner.time(-3)], key: Self.key)
            #expect(try await status(parley, bearer: justOver) == 101)
        }

        @Test("issuer and audience are checked when they are set")
        func issuerAndAudience() async throws {
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_JWT_HS256_KEY": Self.key, "PARLEY_JWT_ISSUER": "https://id.example",
                "PARLEY_JWT_AUDIENCE": "parley",
            ])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            func token(_ issuer: String, _ audience: JSONValue) -> String {
                TokenSigner.hs256(
                    [
                        "sub": .string(alice.id), "exp": TokenSigner.time(60), "iss": .string(issuer), "aud": audience,
                    ], key: Self.key)
            }
            #expect(try await status(parley, bearer: token("https://id.example", "parley")) == 101)
            #expect(try await status(parley, bearer: token("https://id.example", ["other", "parley"])) == 101)
            #expect(try await status(parley, bearer: token("https://other.example", "parley")) == 401)
            #expect(try await status(parley, bearer: token("https://id.example", "other")) == 401)
        }

        @Test("an unknown user of a good JWT is made at first contact if the setting says so")
        func createdUser() async throws {
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_JWT_HS256_KEY": Self.key, "PARLEY_JWT_CREATE_USERS": "true",
            ])
            let token = TokenSigner.hs256(["sub": "from-elsewhere", "exp": TokenSigner.time(60)], key: Self.key)
            let authorization: HTTPClient.Headers = [("Authorization", "Bearer \(token)")]
            let socket = try await TestSocket.connect(port: parley.port, headers: authorization)
            let http = HTTPClient(port: parley.port, headers: authorization)
            let room = try await http.post("/messaging/add-chatroom", json: ["title": "Room"])
            let thread = try #require(try room.json()["id"]?.string)
            try await socket.say("hi", in: thread)
            #expect(try await socket.nextMessage().senderID == "from-elsewhere")
        }

        @Test("a JWT verified by a key set file")
        func keySet() async throws {
            let directory = try TemporaryDirectory()
            let key = P256.Signing.PrivateKey()
            let path = directory.path + "/keys.json"
            try TokenSigner.keySet(key, keyID: "one").text.write(toFile: path, atomically: true, encoding: .utf8)
            let parley = try await ParleyProcess.start(environment: ["PARLEY_JWT_JWKS_FILE": path])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let claims: JSONValue = ["sub": .string(alice.id), "exp": TokenSigner.time(60)]
            #expect(try await status(parley, bearer: TokenSigner.es256(claims, key: key, keyID: "one")) == 101)
            let other = P256.Signing.PrivateKey()
            #expect(try await status(parley, bearer: TokenSigner.es256(claims, key: other, keyID: "one")) == 401)
            #expect(try await status(parley, bearer: TokenSigner.hs256(claims, key: "guess")) == 401)
        }

        @Test("the session token as Bearer, and Basic, are as good as the cookie")
        func sessionTokenAndBasic() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", password: "pass:word 1", port: parley.port)
            #expect(try await status(parley, bearer: alice.sessionToken, [("Origin", "https://x.example")]) == 101)
            #expect(try await status(parley, bearer: alice.sessionToken + "0") == 401)
            func basic(_ pair: String) -> HTTPClient.Headers {
                [("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")]
            }
            for (pair, expected) in [
                ("alice:pass:word 1", 200), ("alice:wrong", 401), ("nobody:x", 401), ("alice", 401),
            ] {
                let opening = try await TestSocket.open(port: parley.port, headers: basic(pair))
                #expect(opening.status == (expected == 200 ? 101 : 401), "\(pair)")
                #expect(
                    try await parley.http.get("/messaging/load-inbox", headers: basic(pair)).status == expected,
                    "\(pair)")
            }
        }

        @Test("an API key acts as the user it names, by id or by name")
        func apiKey() async throws {
            let key = "pk_0123456789abcdef0123456789abcdef"
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "backend:\(key)"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            for name in [alice.id, "alice"] {
                #expect(try await status(parley, bearer: key, [("X-Parley-User", name)]) == 101, "\(name)")
            }
            #expect(try await status(parley, bearer: key, [("X-Parley-User", "nobody")]) == 401)
            #expect(try await status(parley, bearer: key + "0", [("X-Parley-User", "alice")]) == 401)
            // X-Parley-User means nothing without an API key.
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let socket = try await TestSocket.connect(
                port: parley.port, headers: bob.cookieHeader + [("X-Parley-User", "alice")])
            let thread = try await bob.join("Room")
            try await socket.say("me", in: thread)
            #expect(try await socket.nextMessage().senderID == bob.id)
        }

        @Test("a ticket opens one socket, once")
        func ticket() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let reply = try await alice.http.send("POST", "/v1/tickets", body: [])
            #expect([200, 201].contains(reply.status))
            let ticket = try #require(try reply.json()["ticket"]?.string)
            #expect(try reply.json()["expires_in"] == 30)
            let path = "/chat?ticket=\(HTTPClient.escape(ticket))"
            // From any origin, and without a cookie.
            let headers: HTTPClient.Headers = [("Origin", "https://elsewhere.example")]
            #expect(try await TestSocket.open(port: parley.port, path: path, headers: headers).status == 101)
            #expect(try await TestSocket.open(port: parley.port, path: path, headers: headers).status == 401)
            #expect(try await TestSocket.open(port: parley.port, path: "/chat?ticket=made.up").status == 401)
        }

        @Test("a ticket asked for at the same time by many opens one socket")
        func ticketRace() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let reply = try await alice.http.send("POST", "/v1/tickets", body: [])
            let ticket = try #require(try reply.json()["ticket"]?.string)
            let path = "/chat?ticket=\(HTTPClient.escape(ticket))"
            let port = parley.port
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await TestSocket.open(port: port, path: path).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 101 } == 1)
            #expect(statuses.count { $0 == 401 } == 19)
        }
    }
}
