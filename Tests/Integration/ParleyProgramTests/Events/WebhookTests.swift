import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Webhooks of a running server.
    @Suite struct WebhookTests {
        private static let key = ProgramCluster.apiKey

        /// The calls of a back end.
        struct Service {
            let port: Int

            func send(
                _ method: String, _ path: String, _ body: JSONValue? = nil
            ) async throws -> (status: Int, json: JSONValue?) {
                let http = HTTPClient(port: port, headers: [("Authorization", "Bearer \(key)")])
                let reply = try await http.send(
                    method, "/v1/admin/webhooks\(path)", headers: [("Content-Type", "application/json")],
                    body: body.map { Array($0.text.utf8) } ?? [])
                return (reply.status, try? reply.json())
            }
        }

        private func start(_ networks: String) async throws -> ParleyProcess {
            try await ParleyProcess.start(
                arguments: ["--drain-seconds", "1"],
                environment: [
                    "PARLEY_API_KEYS": "ops:\(Self.key)", "PARLEY_WEBHOOKS_ALLOWED_NETWORKS": networks,
                    "PARLEY_LIMITS_SENDS_PER_SECOND": "0",
                ])
        }

        @Test("an endpoint gets signed events, again after a refusal, and goes on after a restart of the server")
        func delivery() async throws {
            let parley = try await start("127.0.0.1")
            let (service, endpoint) = (Service(port: parley.port), try await WebhookEndpoint.start())
            let made = try await service.send(
                "POST", "", ["url": .string(endpoint.url), "kinds": ["message"], "batch": 10])
            #expect(made.status == 201)
            let id = try #require(made.json?["id"]?.string)
            let secret = try #require(made.json?["secret"]?.string)
            try endpoint.setSecrets([secret])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let rooms = [try await alice.join("One"), try await alice.join("Two")]
            let socket = try await alice.socket()
            for number in 0..<20 { try await socket.say("\(number)", in: rooms[number % 2]) }
            #expect(try await eventually { endpoint.texts.count == 20 }, "\(endpoint.texts)")
            let unsigned = endpoint.requests.filter { !$0.isSigned }
            #expect(unsigned.isEmpty)
            #expect(endpoint.texts.filter { Int($0)?.isMultiple(of: 2) == true } == (0..<10).map { "\(2 * $0)" })

            try endpoint.answer(500)
            try await socket.say("refused", in: rooms[0])
            #expect(try await eventually { endpoint.requests.contains { $0.status == 500 } })
            let failing = try await eventually {
                try await service.send("GET", "/\(id)").json?["failure"] == "status 500"
            }
            #expect(failing)
            try endpoint.answer(200)
            #expect(try await eventually { endpoint.texts.contains("refused") })

            // Both secrets sign, until the old one is removed.
            let second = try #require(try await service.send("POST", "/\(id)/secrets", [:]).json?["secret"]?.string)
            try endpoint.setSecrets([second, secret])
            #expect(try await parley.terminate() == .exited(0))
            try await parley.restart()
            let again = try await alice.socket()
            try await again.say("after", in: rooms[1])
            #expect(try await eventually { endpoint.texts.contains("after") })
            #expect(endpoint.requests.last?.isSigned == true)
            #expect(endpoint.texts.count == 22)
            #expect(try await service.send("DELETE", "/\(id)/secrets").status == 204)
            #expect(try await service.send("GET", "/\(id)").json?["secrets"] == 1)

            let list = try await ParleyBinary.run(
                ["admin", "webhooks", "--database", "sqlite:\(parley.databasePath)"])
            #expect(list.output.contains("\(id) enabled "), "\(list.output)")
            #expect(list.output.contains(" 0 \(endpoint.url)"), "\(list.output)")
            #expect(try await service.send("DELETE", "/\(id)").status == 204)
            #expect(try await service.send("GET", "/\(id)").status == 404)
            endpoint.child.signal(SIGKILL)
        }

        @Test("addresses inside the network are refused, also behind a name, and a bad field is named")
        func refused() async throws {
            let parley = try await start("")
            let service = Service(port: parley.port)
            for url in [
                "http://127.0.0.1:9/", "https://127.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/",
                "https://[::ffff:10.0.0.1]/", "https://10.1/", "http://shop.example/", "ftp://shop.example/",
                "https://user@shop.example/", "https://shop.example/#a",
            ] {
                let reply = try await service.send("POST", "", ["url": .string(url)])
                #expect(reply.status == 400, "\(url)")
            }
            for (body, name) in [
                (["url": "https://shop.example/", "kinds": ["text"]], "kinds"),
                (["url": "https://shop.example/", "batch": 201], "batch"),
                (["url": "https://shop.example/", "key": "md5"], "key"),
                (["url": "https://shop.example/", "after": "now"], "after"), ([:], "url"),
            ] as [(JSONValue, String)] {
                let reply = try await service.send("POST", "", body)
                #expect(reply.status == 400)
                #expect(reply.json?.text.contains(name) == true, "\(reply)")
            }
            // A name is checked when a connection is made.
            let made = try await service.send("POST", "", ["url": "https://localhost:9/", "after": "start"])
            let id = try #require(made.json?["id"]?.string)
            _ = try await TestUser.signUp("alice", port: parley.port).join("Room")
            let isRefused = try await eventually {
                try await service.send("GET", "/\(id)").json?["failure"]?.string?.contains("loopback") == true
            }
            #expect(isRefused)
        }

        @Test("persisters, Redis and the endpoint are killed: each event at least once, each thread in its order")
        func kills() async throws {
            let redis = try await RedisServer.start()
            let postgres = try await SharedPostgres.server()
            let database = postgres.url(database: try await postgres.makeDatabase())
            func start(_ role: String, _ node: String) async throws -> ParleyProcess {
                try await ParleyProcess.start(
                    role, database: database, arguments: ["--redis", redis.url, "--node", node],
                    environment: [
                        "PARLEY_SECRET": "a secret of the tests, long enough for them",
                        "PARLEY_API_KEYS": "ops:\(Self.key)", "PARLEY_LIMITS_SENDS_PER_SECOND": "0",
                        "PARLEY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8",
                    ])
            }
            let persisters = [try await start("persister", "p1"), try await start("persister", "p2")]
            let gateway = try await start("gateway", "g1")
            let service = Service(port: persisters[0].port)
            var endpoint = try await WebhookEndpoint.start()
            let made = try await service.send(
                "POST", "", ["url": .string(endpoint.url), "after": "start", "batch": 5])
            try endpoint.setSecrets([try #require(made.json?["secret"]?.string)])
            let alice = try await TestUser.signUp("alice", port: persisters[0].port)
            var rooms: [String] = []
            for number in 0..<6 { rooms.append(try await alice.join("Room \(number)")) }
            let socket = try await TestSocket.connect(port: gateway.port, headers: alice.cookieHeader)
            for round in 0..<4 {
                for number in 0..<30 { try await socket.say("\(round) \(number)", in: rooms[number % 6]) }
                try await persisters[round % 2].kill()
                if round.isMultiple(of: 2) { try await endpoint.restart() } else { try endpoint.answer(503) }
                for number in 30..<60 { try await socket.say("\(round) \(number)", in: rooms[number % 6]) }
                try await persisters[round % 2].restart()
                try endpoint.answer(200)
            }
            let wanted = Set((0..<4).flatMap { round in (0..<60).map { "\(round) \($0)" } })
            // The lease of a process that was killed ends after 30 seconds.
            let isComplete = try await eventually(within: .seconds(90)) { wanted.isSubset(of: endpoint.texts) }
            #expect(isComplete, "\(wanted.subtracting(endpoint.texts).count)")
            let accepted = endpoint.requests.filter { $0.status == 200 }
            let unsigned = accepted.filter { !$0.isSigned }
            #expect(unsigned.isEmpty)
            for room in rooms {
                let history =
                    try await HTTPClient(
                        port: persisters[0].port, headers: [("Authorization", "Bearer \(Self.key)")]
                    ).get("/v1/threads/\(room)/events?limit=200").json()["events"]?.array ?? []
                let ids = history.map { "\(room):\($0["epoch"]?.string ?? ""):\($0["seq"]?.int ?? 0)" }
                var seen: [String] = []
                for id in accepted.flatMap(\.ids) where id.hasPrefix("\(room):") && !seen.contains(id) {
                    seen.append(id)
                }
                #expect(seen == ids)
            }
            endpoint.child.signal(SIGKILL)
        }
    }
}
