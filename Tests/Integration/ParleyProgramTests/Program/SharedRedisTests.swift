import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Two Parleys on one Redis, such as production and staging.
    @Suite struct SharedRedisTests {
        private static let key = "pk_shared_0123456789abcdefghijklmnopqrs"

        /// A Parley of that prefix with Ann in the thread `room`, both under the same ids everywhere.
        private func start(_ prefix: String, on redis: RedisServer) async throws -> ParleyProcess {
            let parley = try await ParleyProcess.start(
                arguments: ["--redis", redis.url],
                environment: [
                    "PARLEY_KEYS_PREFIX": prefix, "PARLEY_CHANNELS_PREFIX": "\(prefix)-asgi",
                    "PARLEY_API_KEYS": "test:\(Self.key)",
                ])
            let records = """
                {"user": {"id": "ann", "username": "ann"}}
                {"thread": {"id": "room", "title": "Room", "kind": "room"}}
                {"member": {"thread": "room", "user": "ann"}}

                """
            let reply = try await rest(parley).send("POST", "/v1/admin/import", body: Array(records.utf8))
            #expect(try reply.json()["errors"]?.array?.isEmpty == true)
            return parley
        }

        private func rest(_ parley: ParleyProcess) -> HTTPClient {
            HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(Self.key)")])
        }

        private func socket(_ parley: ParleyProcess) async throws -> TestSocket {
            try await TestSocket.connect(
                port: parley.port, headers: [("Authorization", "Bearer \(Self.key)"), ("X-Parley-User", "ann")])
        }

        @Test("know nothing of one another, and each has its keys under its prefix")
        func apart() async throws {
            let redis = try await RedisServer.start()
            let (one, two) = (try await start("one", on: redis), try await start("two", on: redis))
            let (first, second) = (try await socket(one), try await socket(two))
            for (socket, text) in [(first, "in one"), (second, "in two")] {
                try await socket.send(json: ["message": ["id": "room", "text": .string(text)]])
            }
            for (parley, socket, text) in [(one, first, "in one"), (two, second, "in two")] {
                let message = try await socket.nextJSON()
                #expect(message["text"]?.string == text)
                #expect(message["seq"] == 1)
                let isStored = try await eventually {
                    let page = try await rest(parley).get("/v1/threads/room/messages").json()["messages"]?.array
                    return page?.compactMap { $0["text"]?.string } == [text]
                }
                #expect(isStored)
                #expect(try await rest(parley).get("/v1/admin/nodes").json()["nodes"]?.array?.count == 1)
            }
            let keys = try await redis.cli("KEYS", "*").split(whereSeparator: \.isNewline)
            for prefix in ["one:", "two:"] { #expect(keys.contains { $0.hasPrefix(prefix) }) }
            #expect(keys.allSatisfy { $0.hasPrefix("one:") || $0.hasPrefix("two:") }, "\(keys)")
            for parley in [one, two] { try await parley.kill() }
            try await redis.kill()
        }
    }
}
