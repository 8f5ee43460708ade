import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// A requested stop: sockets get a close code, accepted messages are kept, exit 0.
    @Suite struct StopTests {
        @Test("SIGTERM and SIGINT end the program with 0, open sockets or not", arguments: [SIGTERM, SIGINT])
        func graceful(signal: Int32) async throws {
            let idle = try await ParleyProcess.start(arguments: ["--drain-seconds", "1"])
            #expect(try await idle.terminate(signal: signal, within: .patience) == .exited(0))

            let parley = try await ParleyProcess.start(arguments: ["--drain-seconds", "1"], hasLineListener: true)
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let sockets = [try await alice.socket(), try await alice.socket(subprotocols: ["parley.direct"])]
            let line = try await LineClient.connect(port: try #require(parley.linePort))
            try await line.send(line: "iam:ann")
            #expect(try await line.next() == "ann:has joined")
            // Three that would never go by themselves: a kept-alive connection, a half-open one, a socket that is
            // silent.
            let kept = try await RawConnection.connect(port: parley.port)
            try await kept.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await HTTPClient.readReply(from: kept).status == 200)
            let half = try await RawConnection.connect(port: parley.port)
            try await half.send("GET /ch")

            let start = ContinuousClock.now
            #expect(try await parley.terminate(signal: signal) == .exited(0))
            #expect(start.duration(to: .now) < .seconds(10) + .leeway)
            // Codes after which a client comes back (PROTOCOL §3).
            for socket in sockets {
                let code = try await socket.closeCode()
                #expect([1001, 1012, 4200].contains(code), "\(String(describing: code))")
            }
            withExtendedLifetime((kept, half)) {}
        }

        @Test("what came back before the stop is in the history after it")
        func nothingIsLost() async throws {
            let parley = try await ParleyProcess.start(
                arguments: ["--drain-seconds", "1"], environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"])
            let crowd = try await UserPopulation.gather(5, in: "Crowd", port: parley.port)
            let moment = Mailbox<Void>(of: "moment for the stop")
            async let status: ProcessEnd = {
                _ = try await moment.take(within: .seconds(60))
                return try await parley.terminate()
            }()
            let received = try await crowd.talk(each: 2_000) { member, message in
                if member == 0, message.text.hasSuffix("/100") { moment.put(()) }
            }
            #expect(try await status == .exited(0))
            try await parley.restart()
            let history = try await crowd.members[0].user.history(of: crowd.thread)
            let stored = Set(history.compactMap { $0["id"]?.string })
            #expect(stored.count == history.count)
            for messages in received { #expect(messages.allSatisfy { stored.contains($0.id) }) }
        }

        /// Sends a request over a connection of its own.
        private func ask(_ head: String, port: Int) async throws -> HTTPReply {
            let connection = try await RawConnection.connect(port: port)
            try await connection.send(head + "Host: 127.0.0.1\r\n\r\n")
            return try await HTTPClient.readReply(from: connection)
        }

        @Test("until its last socket is gone a node that drains listens: sockets are refused, the rest is answered")
        func listensWhileItDrains() async throws {
            let opsPort = FreePort.next()
            let parley = try await ParleyProcess.start(
                arguments: ["--drain-seconds", "4", "--ops-port", "\(opsPort)"],
                environment: ["PARLEY_LIMITS_CONNECTIONS_PER_USER": "0"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let upgrade =
                "GET /chat HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                + "Authorization: Bearer \(alice.sessionToken)\r\n"
            // They are sent off over three seconds.
            var sockets: [TestSocket] = []
            for _ in 0..<300 { sockets.append(try await alice.socket(subprotocols: ["parley.direct"])) }
            parley.signal(SIGTERM)
            // No connection is refused in between.
            let isDraining = try await eventually {
                try await ask("GET /readyz HTTP/1.1\r\n", port: parley.port).status == 503
            }
            #expect(isDraining)
            for port in [parley.port, opsPort] {
                #expect(try await ask("GET /healthz HTTP/1.1\r\n", port: port).status == 200)
            }
            let refused = try await ask(upgrade, port: parley.port)
            #expect(refused.status == 503)
            #expect(refused.header("Retry-After") != nil)
            let ready = try await ask("GET /readyz HTTP/1.1\r\n", port: opsPort)
            #expect(ready.status == 503)
            #expect(ready.text.contains("draining"))
            #expect(try await ask("GET /metrics HTTP/1.1\r\n", port: opsPort).text.contains("parley_sockets{"))
            #expect(try await ask("GET /metrics HTTP/1.1\r\n", port: parley.port).status == 404)
            let me = "GET /v1/me HTTP/1.1\r\nAuthorization: Bearer \(alice.sessionToken)\r\n"
            #expect(try await ask(me, port: parley.port).status == 200)
            // It has its signal already; this one only waits.
            #expect(try await parley.terminate(signal: SIGCONT) == .exited(0))
            withExtendedLifetime(sockets) {}
        }
    }
}
