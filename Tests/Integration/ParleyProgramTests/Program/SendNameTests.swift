import ParleyModel
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// A `client_id` or `Idempotency-Key` is one send, for good.
    @Suite struct SendNameTests {
        private static let key = "pk_names_0123456789abcdefghijklmnopqrs"
        private static let forget = """
            for _, key in ipairs(redis.call('KEYS', 'parley:*:once:*')) do redis.call('DEL', key) end
            """

        private struct Fixture {
            let redis: [RedisServer]
            let parley: ParleyProcess

            /// Rooms `room-0` and so on, with Ann in each.
            static func start(hosts: Int, rooms: Int) async throws -> Fixture {
                var redis: [RedisServer] = []
                for _ in 0..<hosts { redis.append(try await RedisServer.start()) }
                let postgres = try await SharedPostgres.server()
                let parley = try await ParleyProcess.start(
                    database: postgres.url(database: try await postgres.makeDatabase()),
                    arguments: redis.flatMap { ["--redis", $0.url] },
                    environment: [
                        "PARLEY_SECRET": "a secret of the tests, long enough for them",
                        "PARLEY_API_KEYS": "test:\(SendNameTests.key)", "PARLEY_LIMITS_SENDS_PER_SECOND": "0",
                    ])
                let fixture = Fixture(redis: redis, parley: parley)
                let records =
                    #"{"user": {"id": "ann", "username": "ann"}}"# + "\n"
                    + (0..<rooms).map { number in
                        """
                        {"thread": {"id": "room-\(number)", "title": "Room \(number)", "kind": "room"}}
                        {"member": {"thread": "room-\(number)", "user": "ann"}}

                        """
                    }.joined()
                let key = ("Authorization", "Bearer \(SendNameTests.key)")
                let reply = try await HTTPClient(port: parley.port, headers: [key])
                    .send("POST", "/v1/admin/import", body: Array(records.utf8))
                #expect(try reply.json()["errors"]?.array?.isEmpty == true)
                return fixture
            }

            private var credentials: HTTPClient.Headers {
                [("Authorization", "Bearer \(SendNameTests.key)"), ("X-Parley-User", "ann")]
            }

            func socket() async throws -> TestSocket {
                let socket = try await TestSocket.connect(
                    port: parley.port, headers: credentials, subprotocols: ["parley.v1"])
                _ = try await socket.nextJSON { $0["type"] == "hello" }
                return socket
            }

            func post(_ text: String, in room: Int, _ name: String) async throws -> HTTPReply {
                try await HTTPClient(port: parley.port, headers: credentials + [("Idempotency-Key", name)])
                    .post("/v1/threads/room-\(room)/messages", json: ["text": .string(text)])
            }

            func stop() async throws {
                try await parley.kill()
                for server in redis { try await server.kill() }
            }
        }

        /// Sends, and waits until it is stored or refused, or is a repeat.
        private func send(
            _ socket: TestSocket, _ text: String, in room: Int, _ name: String
        ) async throws -> JSONValue {
            // A repeat is acknowledged twice too; the second ack is not to be taken for another's.
            let ref = Int.random(in: 1...1_000_000_000)
            try await socket.send(json: [
                "message": [
                    "id": .string("room-\(room)"), "text": .string(text), "client_id": .string(name), "ack": "stored",
                ], "ref": .int(ref),
            ])
            return try await socket.nextJSON { response in
                response["ref"] == .int(ref)
                    && (response["level"] == "stored" || response["repeat"] == true || response["type"] == "error")
            }
        }

        @Test("when Redis has forgotten it, by time or with all its memory", arguments: [false, true])
        func forgotten(_ all: Bool) async throws {
            let fixture = try await Fixture.start(hosts: 1, rooms: 2)
            let socket = try await fixture.socket()
            let time = WallClock.system.milliseconds
            // Those whose names say that they are of yesterday are as if they had been sent then.
            var names = ["random", Samples.uuidv7(at: time - 86_500_000), Samples.ulid(at: time - 86_500_000)]
            if all { names.append(Samples.uuidv7(at: time - 1)) }
            var firsts: [(name: String, ack: JSONValue)] = []
            for name in names {
                let ack = try await send(socket, "hi", in: 0, name)
                #expect(ack["level"] == "stored" && ack["repeat"] == nil, "\(ack)")
                firsts.append((name, ack))
            }
            if all {
                try await fixture.redis[0].cli("FLUSHALL")
            } else {
                try await fixture.redis[0].cli("EVAL", Self.forget, "0")
            }
            for (name, first) in firsts {
                for (text, room) in [("ho", 0), ("hi", 1)] {
                    let response = try await send(socket, text, in: room, name)
                    #expect(response["code"] == "conflict", "\(response)")
                    #expect(try await fixture.post(text, in: room, name).status == 409)
                }
                for ack in [
                    try await send(socket, "hi", in: 0, name), try await fixture.post("hi", in: 0, name).json(),
                ] {
                    #expect(ack["repeat"] == true, "\(ack)")
                    for field in ["seq", "epoch", "id", "date_ms"] { #expect(ack[field] == first[field]) }
                }
            }
            try await fixture.stop()
        }

        @Test("used in threads of several hosts, one is accepted, the others are conflicts", arguments: [false, true])
        func severalHosts(_ isTimeOrdered: Bool) async throws {
            let fixture = try await Fixture.start(hosts: 3, rooms: 12)
            let socket = try await fixture.socket()
            let name = isTimeOrdered ? Samples.uuidv7(at: WallClock.system.milliseconds) : "random"
            for room in 0..<12 {
                try await socket.send(json: [
                    "message": ["id": .string("room-\(room)"), "text": "hi", "client_id": .string(name)],
                    "ref": .int(room + 1),
                ])
            }
            var codes: [String] = []
            for _ in 0..<12 {
                let response = try await socket.nextJSON { $0["ref"] != nil }
                codes.append(response["code"]?.string ?? response["level"]?.string ?? "")
            }
            #expect(codes.filter { $0 == "accepted" }.count == 1)
            #expect(codes.filter { $0 == "conflict" }.count == 11, "\(codes)")
            for room in 0..<12 {
                let status = try await fixture.post("ho", in: room, name).status
                #expect(status == 409)
            }
            try await fixture.stop()
        }
    }
}
