import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// One client that takes all it can get leaves enough for the others.
    @Suite struct FloodTests {
        private static let floodAddress = "127.0.0.2"

        /// Connects so many times; returns those connections that are still open after a moment.
        private func connect(
            _ count: Int, from address: String, port: Int, sending text: String = "G"
        ) async throws -> [RawConnection] {
            try await withThrowingTaskGroup(of: RawConnection?.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        guard let connection = try? await RawConnection.connect(port: port, from: address) else {
                            return nil
                        }
                        try? await connection.send(text)
                        do {
                            return try await connection.read(within: .seconds(6)) == nil ? nil : connection
                        } catch is TimedOut {
                            return connection
                        } catch {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: []) { if let open = $1 { $0.append(open) } }
            }
        }

        @Test("an address holds as many connections as it may, and others get in")
        func connections() async throws {
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS": "100", "PARLEY_HANDSHAKE_SECONDS": "60",
            ])
            let held = try await connect(300, from: Self.floodAddress, port: parley.port)
            #expect(held.count == 100)
            #expect(try await parley.http.get("/healthz").status == 200)
            let reached = try await parley.metrics().sum(
                "parley_limits_reached_total", where: #"limit="connections_per_address""#)
            #expect(reached == 200)
            // Those that go make room.
            for connection in held { await connection.close() }
            let isFree = try await eventually {
                try await connect(1, from: Self.floodAddress, port: parley.port).count == 1
            }
            #expect(isFree)
        }

        @Test("sockets and other connections of an address are counted apart")
        func apart() async throws {
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS": "5"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            var sockets: [TestSocket] = []
            for _ in 0..<5 { sockets.append(try await alice.socket(subprotocols: ["parley.direct"])) }
            let held = try await connect(4, from: "127.0.0.1", port: parley.port)
            #expect(held.count == 4)
            #expect(try await alice.http.get("/v1/me").status == 200)
            await #expect(throws: (any Error).self) { _ = try await alice.socket() }
            withExtendedLifetime((sockets, held)) {}
        }

        @Test("a trusted proxy is not bounded, its clients are, request by request")
        func proxies() async throws {
            let proxy = "127.0.0.3"
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS": "3", "PARLEY_TRUSTED_PROXIES": proxy,
            ])
            func request(_ client: String) -> String {
                "POST /auth/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: \(client)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
            }
            // Each of them waits for the rest of its body.
            var held: [RawConnection] = []
            for client in ["192.0.2.1", "2001:db8::1"] {
                for _ in 0..<3 {
                    let connection = try await RawConnection.connect(port: parley.port, from: proxy)
                    try await connection.send(request(client))
                    held.append(connection)
                }
            }
            let isFull = try await eventually {
                let more = try await RawConnection.connect(port: parley.port, from: proxy)
                try await more.send(request("192.0.2.1") + "12345678}")
                let reply = try await HTTPClient.readReply(from: more)
                return reply.status == 429 && reply.header("Retry-After") != nil
            }
            #expect(isFull)
            // Another client of the same proxy, and another one of the same network.
            for (client, status) in [("192.0.2.2", 400), ("2001:db8::2", 429), ("2001:db8:0:1::1", 400)] {
                let more = try await RawConnection.connect(port: parley.port, from: proxy)
                try await more.send(request(client) + "12345678}")
                #expect(try await HTTPClient.readReply(from: more).status == status, "\(client)")
            }
            withExtendedLifetime(held) {}
        }

        @Test("connections that are no sockets are bounded by spare_connections, however many sockets are allowed")
        func spare() async throws {
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_LIMITS_SPARE_CONNECTIONS": "20", "PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS": "0",
                "PARLEY_HANDSHAKE_SECONDS": "60",
            ])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await alice.socket(subprotocols: ["parley.direct"])
            let held = try await connect(80, from: Self.floodAddress, port: parley.port)
            // A connection of the sign-up may still have been open.
            #expect((18...20).contains(held.count), "\(held.count)")
            try await socket.send(frame: SocketFrame(.ping, [1]))
            #expect(try await socket.nextPong() == [1])
            withExtendedLifetime(held) {}
        }

        @Test("bodies that drip are cut off with 408, each after its whole time; others are served meanwhile")
        func slowBodies() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_BODY_SECONDS": "2"])
            let head =
                "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Content-Length: 60000\r\n\r\n"
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let connection = try await RawConnection.connect(port: parley.port)
                        try await connection.send(head)
                        async let reply = HTTPClient.readReply(from: connection)
                        // Faster than any time limit for silence; the client goes on after its answer.
                        while start.duration(to: .now) < .seconds(3) {
                            try? await connection.send(" ")
                            try await Task.sleep(for: .milliseconds(100))
                        }
                        let response = try await reply
                        #expect(response.status == 408)
                        #expect(response.header("Connection") == "close")
                    }
                }
                for _ in 0..<10 { #expect(try await parley.http.get("/healthz").status == 200) }
                try await group.waitForAll()
            }
            let isFree = try await eventually {
                try await parley.metrics().sum("parley_connections") ?? 100 < 10
            }
            #expect(isFree)
        }

        @Test("sign-ups are bounded by address with 429 and Retry-After, and hold up nobody's login")
        func signUps() async throws {
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_LIMITS_SIGNUPS_PER_ADDRESS_PER_MINUTE": "400", "PARLEY_AUTH_PBKDF2_ITERATIONS": "10000",
            ])
            _ = try await TestUser.signUp("alice", password: "correct horse", port: parley.port)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let reply = try await parley.http.post(
                            "/auth/signup", form: ["username": "user\(number)", "password": "correct horse"])
                        if reply.status == 429 { #expect(Int(reply.header("Retry-After") ?? "") ?? 0 > 0) }
                        return reply.status
                    }
                }
                for _ in 0..<5 {
                    let reply = try await parley.http.post(
                        "/auth/login", form: ["username": "alice", "password": "correct horse"])
                    #expect(reply.status == 200)
                }
                var counts: [Int: Int] = [:]
                for try await status in group { counts[status, default: 0] += 1 }
                #expect(counts[429] == 101)
                #expect(Set(counts.keys).isSubset(of: [200, 429, 503]))
            }
            let reached = try await parley.metrics().sum(
                "parley_limits_reached_total", where: #"limit="signups_per_address_per_minute""#)
            #expect(reached == 101)
        }

        @Test("an import may take as long as its bytes come fast enough", arguments: [(2_000, 200), (20, 408)])
        func imports(portion: Int, status: Int) async throws {
            let key = "pk_0123456789abcdefghijklmnopqrstuvwxyz"
            let parley = try await ParleyProcess.start(environment: [
                "PARLEY_BODY_SECONDS": "1", "PARLEY_BODY_BYTES_PER_SECOND": "1000", "PARLEY_API_KEYS": "site:\(key)",
            ])
            let connection = try await RawConnection.connect(port: parley.port)
            try await connection.send(
                "POST /v1/admin/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
                    + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
            async let reply = HTTPClient.readReply(from: connection)
            let line = String(repeating: " ", count: portion - 1) + "\n"
            for _ in 0..<15 {
                try? await connection.send("\(String(portion, radix: 16))\r\n\(line)\r\n")
                try await Task.sleep(for: .milliseconds(200))
            }
            try? await connection.send("0\r\n\r\n")
            #expect(try await reply.status == status)
        }
    }
}
