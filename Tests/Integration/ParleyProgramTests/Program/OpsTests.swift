import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What an operator sees: health, metrics, logs.
    @Suite struct OpsTests {
        @Test("healthz and readyz say 200 while it serves")
        func health() async throws {
            let parley = try await ParleyProcess.start()
            for path in ["/healthz", "/readyz"] { #expect(try await parley.http.get(path).status == 200) }
        }

        @Test("metrics are in the Prometheus text format and move with what happens")
        func metrics() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let before = try await parley.metrics()
            let socket = try await alice.socket()
            for _ in 0..<10 {
                try await socket.say("hi", in: thread)
                _ = try await socket.nextMessage()
            }
            let reply = try await parley.http.get("/metrics")
            #expect(reply.header("content-type")?.hasPrefix("text/plain") == true)
            var types: [Substring: Substring] = [:]
            for line in reply.text.split(separator: "\n") {
                if line.hasPrefix("# TYPE ") {
                    let words = line.split(separator: " ")
                    #expect(types[words[2]] == nil, "\(words[2]) is declared twice")
                    types[words[2]] = words[3]
                } else if !line.hasPrefix("#") {
                    let isSample =
                        line.wholeMatch(
                            of: /[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\.)*",?)*\})? \S+/) != nil
                    #expect(isSample, "\(line)")
                }
            }
            let after = Metrics(parsing: reply.text)
            #expect(after.sum("process_resident_memory_bytes") ?? 0 > 1_000_000)
            #expect(after.sum("process_open_fds") ?? 0 > 3)
            #expect(after.sum("parley_sockets", where: "websocket") == 1)
            #expect(after.sum("parley_connections") ?? 0 >= 1)
            for name in ["parley_messages_in_total", "parley_messages_out_total"] {
                #expect((after.sum(name) ?? 0) - (before.sum(name) ?? 0) == 10, "\(name)")
            }
            for name in ["parley_socket_received_bytes_total", "parley_socket_sent_bytes_total"] {
                #expect((after.sum(name) ?? 0) - (before.sum(name) ?? 0) > 100, "\(name)")
            }
            #expect(after.sum("parley_persister_lag_events") == 0)
            #expect(after.sum("parley_fanout_sockets_count") ?? 0 >= 10)
            #expect(after.samples.keys.contains { $0.contains("request") && $0.contains("_seconds_count") })
        }

        @Test("no text, password, token or key is in the log, even at the level trace")
        func logPrivacy() async throws {
            let key = "pk_marker000000000000000000000000"
            let jwtKey = "marker-jwt-key-of-at-least-32-bytes!"
            let secret = "marker-secret-of-at-least-32-bytes-too"
            let parley = try await ParleyProcess.start(
                arguments: ["--log-level", "trace"],
                environment: [
                    "PARLEY_API_KEYS": "backend:\(key)", "PARLEY_JWT_HS256_KEY": jwtKey, "PARLEY_SECRET": secret,
                ], hasLineListener: true)
            let alice = try await TestUser.signUp("alice", password: "marker-password", port: parley.port)
            _ = try await parley.http.post("/auth/login", form: ["username": "alice", "password": "marker-wrong"])
            let thread = try await alice.join("Room")
            let socket = try await alice.socket()
            try await socket.say("marker-text", in: thread)
            _ = try await socket.nextMessage()
            try await socket.send(text: #"{"message":"marker-malformed"#)
            try await socket.send(text: #"{"message":{"id":"nowhere","text":"marker-unknown"}}"#)
            _ = try await alice.page(of: thread)
            let direct = try await alice.socket(subprotocols: ["parley.direct"])
            try await direct.send(text: #"{"toUser":"nobody","message":"marker-direct"}"#)
            _ = try await direct.nextJSON()
            let jwt = TokenSigner.hs256(["sub": .string(alice.id), "exp": TokenSigner.time(60)], key: jwtKey)
            for token in [jwt, key, "marker-bad-token"] {
                _ = try await TestSocket.open(
                    port: parley.port, headers: [("Authorization", "Bearer \(token)"), ("X-Parley-User", "alice")])
            }
            let reply = try await alice.http.send("POST", "/v1/tickets", body: [])
            let ticket = try #require(try reply.json()["ticket"]?.string)
            _ = try await TestSocket.open(port: parley.port, path: "/chat?ticket=\(HTTPClient.escape(ticket))")
            let line = try await LineClient.connect(port: try #require(parley.linePort))
            try await line.send(line: "iam:ann")
            try await line.send(line: "msg:marker-line")
            #expect(try await line.next() == "ann:has joined")
            #expect(try await line.next() == "ann:marker-line")
            #expect(try await parley.terminate() == .exited(0))

            let log = parley.logText()
            #expect(!log.isEmpty)
            let signature = try #require(jwt.split(separator: ".").last)
            for marker in ["marker-", "pk_marker", alice.sessionToken, String(signature), ticket] {
                #expect(!log.contains(marker), "\(marker)")
            }
        }
    }
}
