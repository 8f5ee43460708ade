import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The path of a message through a cluster, as its stamps show it.
    @Suite struct TraceTests {
        private struct Step {
            let hop: String
            let node: String
            let at: Int
            let took: Int?
            let after: String?
            let sockets: Int?

            init?(_ json: JSONValue) {
                guard let hop = json["hop"]?.string, let node = json["node"]?.string, let at = json["at_us"]?.int else {
                    return nil
                }
                (self.hop, self.node, self.at) = (hop, node, at)
                (took, after, sockets) = (json["took_us"]?.int, json["after"]?.string, json["sockets"]?.int)
            }
        }

        private static func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
        }

        /// The steps once all of these are there, as `hop@node`.
        private static func steps(
            of message: String, _ cluster: ProgramCluster, expecting: Set<String>
        ) async throws -> [String: Step] {
            var steps: [String: Step] = [:]
            _ = try await eventually {
                let reply = try await cluster.service.get("/v1/admin/messages/\(message)/trace")
                guard reply.status == 200 else { return false }
                let found = try reply.json()["steps"]?.array?.compactMap(Step.init) ?? []
                steps = Dictionary(found.map { ("\($0.hop)@\($0.node)", $0) }, uniquingKeysWith: { first, _ in first })
                #expect(found.count == steps.count, "a step stands there twice")
                #expect(found.map(\.at) == found.map(\.at).sorted())
                return Set(steps.keys).isSuperset(of: expecting)
            }
            #expect(Set(steps.keys) == expecting)
            return steps
        }

        /// That the steps follow one another, none takes less than no time, and together they take as long as the
        /// whole.
        private static func check(_ path: [String], in steps: [String: Step]) throws -> Int {
            let path = try path.map { try #require(steps[$0], "\($0)") }
            #expect(path[0].after == nil && path[0].took == nil)
            for (before, step) in zip(path, path.dropFirst()) {
                #expect(step.after == before.hop)
                let took = try #require(step.took)
                #expect(took >= 0, "\(step)")
            }
            let whole = path[path.count - 1].at - path[0].at
            #expect(path.compactMap(\.took).reduce(0, +) == whole)
            return whole
        }

        @Test("through two gateways and a persister: in order, the sum of the hops is the whole, and the client agrees")
        func cluster() async throws {
            let cluster = try await ProgramCluster.start(traceEvery: [1, 0])
            let alice = try await TestUser.signUp("alice", port: cluster.persister.port)
            let bob = try await TestUser.signUp("bob", port: cluster.persister.port)
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            let here = try await cluster.socket(of: alice, at: 0)
            let there = [try await cluster.socket(of: bob, at: 1), try await cluster.socket(of: bob, at: 1)]
            // What is new at first (a connection, a seed) is not what is measured.
            for _ in 0..<3 {
                try await here.say("warm", in: thread)
                for socket in [here] + there { _ = try await socket.nextMessage() }
            }

            let began = Self.now()
            try await here.say("traced", in: thread)
            let message = try await there[0].nextMessage()
            let ended = Self.now()
            _ = try await there[1].nextMessage()
            _ = try await here.nextMessage()
            #expect(message.id.hasSuffix("7ace"))
            let steps = try await Self.steps(
                of: message.id, cluster,
                expecting: [
                    "read@g1", "sent@g1", "appended@g1", "received@g1", "flushed@g1", "received@g2", "flushed@g2",
                    "taken@p1", "committed@p1",
                ])
            let delivered = try Self.check(["read@g1", "sent@g1", "received@g2", "flushed@g2"], in: steps)
            _ = try Self.check(["read@g1", "sent@g1", "received@g1", "flushed@g1"], in: steps)
            _ = try Self.check(["read@g1", "sent@g1", "appended@g1"], in: steps)
            _ = try Self.check(["read@g1", "sent@g1", "taken@p1", "committed@p1"], in: steps)
            #expect(steps["flushed@g1"]?.sockets == 1 && steps["flushed@g2"]?.sockets == 2)
            // The client's clock is the same one: it wrote before the frame was read. Its first socket has the message
            // when its bytes are flushed, which may be an instant before the last one's are.
            let read = try #require(steps["read@g1"])
            #expect(read.at >= began)
            #expect(ended >= began + delivered - 20_000, "\(ended - began) µs at the client, \(delivered) µs inside")
            #expect(ended - began <= delivered + 500_000, "\(ended - began) µs at the client, \(delivered) µs inside")

            // The other gateway is configured to trace none, and no node traces for it.
            try await there[0].say("not traced", in: thread)
            let other = try await here.nextMessage()
            #expect(!other.id.hasSuffix("7ace"))
            #expect(try await cluster.service.get("/v1/admin/messages/\(other.id)/trace").status == 404)

            try await Self.checkCommands(message.id, thread, alice, cluster)
            for socket in [here] + there {
                while try await socket.nextMessage().text != "how long?" {}
            }
            try await cluster.stop()
        }

        private static func checkCommands(
            _ message: String, _ thread: String, _ user: TestUser, _ cluster: ProgramCluster
        ) async throws {
            let url = "http://127.0.0.1:\(cluster.persister.port)"
            func run(_ arguments: [String]) async throws -> ParleyBinary.Outcome {
                try await ParleyBinary.run(
                    ["admin", "trace", "--url", url] + arguments,
                    environment: ["PARLEY_API_KEY": ProgramCluster.apiKey])
            }
            let table = try await run([message])
            #expect(table.status == .exited(0), "\(table.output)")
            let words = table.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(words.first == ["message", message])
            #expect(words.contains { $0.first == "flushed" && $0[1] == "g2" && $0.last == "2" }, "\(table.output)")
            #expect(words.contains { $0.first == "committed" && $0.last == "taken" }, "\(table.output)")

            let json = try await run([message, "--json"])
            #expect(try JSONValue(parsing: json.output)["steps"]?.array?.count == 9)

            let sent = try await run(["--send", "how long?", "--thread", thread, "--as", user.id])
            #expect(sent.status == .exited(0), "\(sent.output)")
            for step in ["read       p1", "flushed    g1", "flushed    g2", "committed  p1"] {
                #expect(sent.output.contains("\n\(step)"), "\(step): \(sent.output)")
            }
            let unknown = try await run(["nothing-7ace"])
            #expect(unknown.status != .exited(0) && unknown.output.contains("no trace of this message"))
        }

        @Test("in one process without Redis, stored before it is delivered")
        func embedded() async throws {
            let key = "pk_embedded_0123456789abcdefghijklmn"
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_API_KEYS": "ops:\(key)", "PARLEY_OPS_TRACE_EVERY": "1"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let thread = try await alice.join("Room")
            let socket = try await alice.socket()
            try await socket.say("hi", in: thread)
            let message = try await socket.nextMessage()
            let service = HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(key)")])
            var steps: [Step] = []
            let isWhole = try await eventually {
                let reply = try await service.get("/v1/admin/messages/\(message.id)/trace")
                steps = reply.status == 200 ? try reply.json()["steps"]?.array?.compactMap(Step.init) ?? [] : []
                return steps.count == 7
            }
            #expect(isWhole, "\(steps)")
            #expect(Set(steps.map(\.hop)).count == 7 && steps.allSatisfy { $0.node == "parley" && ($0.took ?? 0) >= 0 })
            let at = Dictionary(uniqueKeysWithValues: steps.map { ($0.hop, $0.at) })
            #expect(at["committed"] ?? .max <= at["received"] ?? .min)
        }
    }
}
