import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Refusals are HTTP answers before the upgrade; one port serves both.
    @Suite struct UpgradeTests {
        /// One request for a socket that must be refused.
        struct Rejection: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let status: Int
            let code: String?
            var path = "/chat"
            var headers: HTTPClient.Headers = []
            var withCookie = true
            var subprotocols: [String] = []
            var without: Set<String> = []
        }

        static let rejections: [Rejection] = [
            Rejection(testDescription: "no credentials", status: 401, code: "unauthorized", withCookie: false),
            Rejection(
                testDescription: "a cookie of no session", status: 401, code: "unauthorized",
                headers: [("Cookie", "sessionid=0123456789abcdef")], withCookie: false),
            Rejection(
                testDescription: "the cookie, ridden on by a foreign page", status: 403, code: "forbidden",
                headers: [("Origin", "https://evil.example")]),
            Rejection(
                testDescription: "the cookie, from another port of this host", status: 403, code: "forbidden",
                headers: [("Origin", "http://127.0.0.1:1")]),
            Rejection(
                testDescription: "the cookie, from an opaque origin", status: 403, code: "forbidden",
                headers: [("Origin", "null")]),
            Rejection(testDescription: "another path", status: 404, code: "not_found", path: "/chatter"),
            Rejection(
                testDescription: "no Upgrade header", status: 426, code: nil,
                without: ["upgrade", "connection"]),
            Rejection(testDescription: "no key", status: 400, code: "bad_request", without: ["sec-websocket-key"]),
            Rejection(
                testDescription: "another version", status: 400, code: "bad_request",
                headers: [("Sec-WebSocket-Version", "8")]),
            Rejection(
                testDescription: "only unknown subprotocols", status: 400, code: "bad_request",
                subprotocols: ["mqtt", "graphql-ws"]),
        ]

        @Test("a request that may not have a socket gets its status and a JSON error", arguments: rejections)
        func refused(_ rejection: Rejection) async throws {
            let parley = try await ParleyProcess.start()
            let user = try await TestUser.signUp("alice", port: parley.port)
            let opening = try await TestSocket.open(
                port: parley.port, path: rejection.path,
                headers: rejection.headers + (rejection.withCookie ? user.cookieHeader : []),
                subprotocols: rejection.subprotocols, without: rejection.without)
            guard case .refused(let reply) = opening else {
                Issue.record("the socket was opened")
                return
            }
            #expect(reply.status == rejection.status)
            let error = try reply.json()["error"]
            if let code = rejection.code { #expect(error?["code"]?.string == code) }
            #expect(error?["message"]?.string?.isEmpty == false)
            if !rejection.subprotocols.isEmpty {
                #expect(error?["message"]?.string?.contains("parley.direct") == true)
            }
        }

        @Test(
            "the three paths open a socket, with and without a trailing slash",
            arguments: ["/chat", "/chat/", "/connect", "/connect/", "/v1/socket", "/v1/socket/"])
        func paths(path: String) async throws {
            let parley = try await ParleyProcess.start()
            let user = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await TestSocket.connect(port: parley.port, path: path, headers: user.cookieHeader)
            #expect(socket.reply.header("sec-websocket-protocol") == nil)
        }

        @Test("the cookie is good from the server's own origin and from those allowed by setting")
        func goodOrigins() async throws {
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_ALLOWED_ORIGINS": "https://app.example,https://two.example:8443"])
            let user = try await TestUser.signUp("alice", port: parley.port)
            let origins = [parley.baseURL, "https://app.example", "https://two.example:8443"]
            for origin in origins {
                let opening = try await TestSocket.open(
                    port: parley.port, headers: user.cookieHeader + [("Origin", origin)])
                #expect(opening.status == 101, "\(origin)")
            }
            let foreign = try await TestSocket.open(
                port: parley.port, headers: user.cookieHeader + [("Origin", "https://two.example")])
            #expect(foreign.status == 403)
        }

        @Test("a state-changing call on the cookie from a foreign origin is refused, reading is not")
        func foreignCalls() async throws {
            let parley = try await ParleyProcess.start()
            let user = try await TestUser.signUp("alice", port: parley.port)
            let foreign: HTTPClient.Headers = [("Origin", "https://evil.example")]
            let join = try await user.http.post("/messaging/add-chatroom", form: ["title": "Room"], headers: foreign)
            #expect(join.status == 403)
            #expect(try await user.inbox().isEmpty)
        }

        @Test("the subprotocol chosen is one that was offered")
        func subprotocol() async throws {
            let parley = try await ParleyProcess.start()
            let user = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await user.socket(subprotocols: ["mqtt", "parley.direct"])
            #expect(socket.reply.header("sec-websocket-protocol") == "parley.direct")
        }

        @Test("too many sockets of one user or one address get 429 with Retry-After, and room is made by closing one")
        func tooManySockets() async throws {
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_LIMITS_CONNECTIONS_PER_USER": "2", "PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS": "3"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let first = try await alice.socket()
            let second = try await alice.socket()
            let third = try await TestSocket.open(port: parley.port, headers: alice.cookieHeader)
            guard case .refused(let reply) = third else {
                Issue.record("a third socket was opened")
                return
            }
            #expect(reply.status == 429)
            #expect(reply.errorCode == "rate_limited")
            #expect(reply.header("retry-after").flatMap { Int($0) } != nil)

            // Bob still has room as a user, and the address has room for one more.
            let bobs = try await bob.socket()
            #expect(try await TestSocket.open(port: parley.port, headers: bob.cookieHeader).status == 429)

            try await first.close()
            _ = try await first.end()
            let isFree = try await eventually {
                try await TestSocket.open(port: parley.port, headers: alice.cookieHeader).status == 101
            }
            #expect(isFree)
            withExtendedLifetime((second, bobs)) {}
        }

        @Test("frames that come in one packet with the handshake are not lost")
        func earlyFrames() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let socket = try await alice.socket()
            let handshake = """
                GET /chat HTTP/1.1\r
                Host: 127.0.0.1:\(parley.port)\r
                Upgrade: websocket\r
                Connection: keep-alive, Upgrade\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Version: 13\r
                Cookie: other=1; sessionid=\(alice.sessionToken); more=2\r
                \r

                """
            let eager = try await RawConnection.connect(port: parley.port)
            let frames = ["one", "two"].flatMap {
                SocketFrame(.text, Array(#"{"message":{"id":"\#(thread)","text":"\#($0)"}}"#.utf8)).bytes()
            }
            try await eager.send(Array(handshake.utf8) + frames)
            #expect(try await socket.nextMessage().text == "one")
            #expect(try await socket.nextMessage().text == "two")
        }

        @Test("a client that goes away during its handshake disturbs nobody")
        func goneDuringHandshake() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let socket = try await alice.socket()
            let handshake =
                "GET /chat HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                + "Cookie: sessionid=\(alice.sessionToken)\r\n\r\n"
            for number in 0..<100 {
                let connection = try await RawConnection.connect(port: parley.port)
                try await connection.send(handshake)
                if number % 2 == 0 { try await connection.reset() } else { await connection.close() }
            }
            try await socket.say("still here", in: thread)
            #expect(try await socket.nextMessage().text == "still here")
            // None of them counts as a socket of Alice, of which she may have 50.
            let hasRoom = try await eventually {
                try await TestSocket.open(port: parley.port, headers: alice.cookieHeader).status == 101
            }
            #expect(hasRoom)
        }

        @Test("HTTP goes on on the same port: keep-alive, the web page, an unknown path")
        func samePort() async throws {
            let parley = try await ParleyProcess.start()
            let connection = try await RawConnection.connect(port: parley.port)
            for _ in 0..<3 {
                try await connection.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                #expect(try await HTTPClient.readReply(from: connection).status == 200)
            }
            let page = try await parley.http.get("/")
            #expect(page.status == 200)
            #expect(page.header("content-type")?.hasPrefix("text/html") == true)
            let unknown = try await parley.http.get("/nowhere")
            #expect(unknown.status == 404)
            #expect(unknown.errorCode == "not_found")
            for reply in [page, unknown] { #expect(reply.header("x-request-id")?.isEmpty == false) }
        }
    }
}
