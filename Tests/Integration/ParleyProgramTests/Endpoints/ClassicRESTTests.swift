import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The classic REST calls: status codes, bodies of both kinds, the cookie.
    @Suite struct ClassicRESTTests {
        @Test("signing up: form or JSON, the cookie and its flags, a taken name, bad input")
        func signUp() async throws {
            let parley = try await ParleyProcess.start()
            let form = try await parley.http.post(
                "/auth/signup", form: ["username": "alice", "password": "correct horse"])
            #expect(form.status == 200)
            #expect(try form.json()["username"] == "alice")
            #expect(try form.json()["id"]?.string?.isEmpty == false)
            let cookie = try #require(form.values("set-cookie").first)
            let parts = Set(cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() })
            #expect(parts.isSuperset(of: ["httponly", "samesite=lax", "path=/"]))
            #expect(!parts.contains("secure"))

            let json = try await parley.http.post(
                "/auth/signup", json: ["username": "bob@example.org", "password": "correct horse"])
            #expect(json.status == 200)
            #expect(json.cookie("sessionid") != nil)

            let bad: [(JSONValue, Int)] = [
                (["username": "alice", "password": "correct horse"], 403),
                (["username": "carol"], 400),
                (["password": "correct horse"], 400),
                (["username": "", "password": "correct horse"], 400),
                (["username": "carol", "password": "1234567"], 400),
                (["username": "carol smith", "password": "correct horse"], 400),
                (["username": "carol/smith", "password": "correct horse"], 400),
                (["username": .string(String(repeating: "c", count: 151)), "password": "correct horse"], 400),
                (["username": 7, "password": "correct horse"], 400),
                ([], 400),
            ]
            for (body, status) in bad {
                let reply = try await parley.http.post("/auth/signup", json: body)
                #expect(reply.status == status, "\(body)")
                #expect(reply.errorCode != nil, "\(body)")
                #expect(reply.header("x-request-id") != nil)
            }
            let broken = try await parley.http.send(
                "POST", "/auth/signup", headers: [("Content-Type", "application/json")], body: Array("{".utf8))
            #expect(broken.status == 400)
        }

        @Test("signing up can be switched off")
        func signUpOff() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_AUTH_SIGNUP": "false"])
            let reply = try await parley.http.post(
                "/auth/signup", form: ["username": "alice", "password": "correct horse"])
            #expect(reply.status == 403)
        }

        @Test("names are one under Unicode normalization, as in Django")
        func normalization() async throws {
            let parley = try await ParleyProcess.start()
            // Fullwidth letters are the plain ones under NFKC.
            let user = try await TestUser.signUp("ａｎｎｅ", port: parley.port)
            let again = try await TestUser.logIn("anne", port: parley.port)
            #expect(user.id == again.id)
            let taken = try await parley.http.post(
                "/auth/signup", form: ["username": "anne", "password": "correct horse"])
            #expect(taken.status == 403)
        }

        @Test("logging in: right, wrong, missing; each login is a new session")
        func logIn() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let again = try await TestUser.logIn("alice", port: parley.port)
            #expect(alice.id == again.id)
            #expect(alice.sessionToken != again.sessionToken)
            let bad: [(KeyValuePairs<String, String>, Int)] = [
                (["username": "alice", "password": "wrong horse"], 401),
                (["username": "nobody", "password": "correct horse"], 401),
                (["username": "alice"], 400),
                (["password": "correct horse"], 400),
            ]
            for (form, status) in bad {
                #expect(try await parley.http.post("/auth/login", form: form).status == status, "\(form)")
            }
        }

        @Test("ten failures a minute for an account are answered, the eleventh is put off; others are not")
        func loginFailures() async throws {
            let parley = try await ParleyProcess.start()
            _ = try await TestUser.signUp("alice", port: parley.port)
            _ = try await TestUser.signUp("bob", port: parley.port)
            for _ in 0..<10 {
                let reply = try await parley.http.post(
                    "/auth/login", form: ["username": "alice", "password": "wrong"])
                #expect(reply.status == 401)
            }
            let reply = try await parley.http.post(
                "/auth/login", form: ["username": "alice", "password": "correct horse"])
            #expect(reply.status == 429)
            #expect(reply.errorCode == "rate_limited")
            #expect(reply.header("retry-after") != nil)
            _ = try await TestUser.logIn("bob", port: parley.port)
            let reached = try await parley.metrics().sum(
                "parley_limits_reached_total", where: #"limit="login_failures_per_account_per_minute""#)
            #expect(reached == 1)
        }

        @Test("calls without a session, for unknown and for foreign threads")
        func rejections() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let thread = try await alice.join("Private")
            for path in ["/messaging/load-inbox", "/messaging/load-messages?id=\(thread)"] {
                let reply = try await parley.http.get(path)
                #expect(reply.status == 401, "\(path)")
                #expect(reply.errorCode == "unauthorized", "\(path)")
            }
            #expect(try await parley.http.post("/messaging/add-chatroom", form: ["title": "x"]).status == 401)
            let foreign = try await bob.http.get("/messaging/load-messages?id=\(thread)")
            #expect(foreign.status == 403)
            #expect(foreign.errorCode == "not_a_member")
            let unknown = try await bob.http.get("/messaging/load-messages?id=ffffffffffffffffffffffffffffffff")
            #expect(unknown.status == 404)
            #expect(unknown.errorCode == "not_found")
            #expect(try await bob.http.get("/messaging/load-messages").status == 400)
            #expect(try await alice.http.get("/messaging/load-messages?id=\(thread)&before=soon").status == 400)
        }

        @Test("titles are trimmed, 1 to 64 characters; the same title is the same room; form and JSON alike")
        func titles() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let room = try await alice.join("  Tea & cake \t")
            #expect(try await alice.inbox().first?["title"] == "Tea & cake")
            let json = try await alice.http.post("/messaging/add-chatroom", json: ["title": "Tea & cake"])
            #expect(try json.json()["id"]?.string == room)
            #expect(try json.json()["title"] == "Tea & cake")
            let longest = String(repeating: "ü", count: 64)
            #expect(try await alice.http.post("/messaging/add-chatroom", form: ["title": longest]).status == 200)
            for title in ["", "   ", longest + "ü"] {
                #expect(try await alice.http.post("/messaging/add-chatroom", form: ["title": title]).status == 400)
            }
            #expect(try await alice.http.post("/messaging/add-chatroom", form: [:]).status == 400)
        }

        @Test("a body over the limit is refused without being read to the end")
        func hugeBody() async throws {
            let parley = try await ParleyProcess.start()
            let connection = try await RawConnection.connect(port: parley.port)
            try await connection.send(
                "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n"
            )
            let chunk = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
            // The server may close while this is still being sent, which is as good an answer as any.
            for _ in 0..<64 { try? await connection.send(chunk) }
            if let reply = try? await HTTPClient.readReply(from: connection) {
                #expect([400, 413].contains(reply.status))
            }
            #expect(try await parley.http.get("/healthz").status == 200)
        }
    }
}
