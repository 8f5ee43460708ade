import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// The stream of events of a cluster.
    @Suite struct EventClusterTests {
        private static let key = ProgramCluster.apiKey

        /// The reader of a back end, which goes to the other node when one is away.
        private struct Reader {
            let ports: [Int]
            private var cursor = "start"
            private(set) var lines: [JSONValue] = []

            init(ports: [Int]) {
                self.ports = ports
            }

            /// Reads a part of at most seven events.
            mutating func read() async throws {
                for port in ports.shuffled() {
                    let http = HTTPClient(port: port, headers: [("Authorization", "Bearer \(EventClusterTests.key)")])
                    guard let reply = try? await http.get("/v1/admin/events?limit=7&after=\(cursor)"),
                        reply.status == 200
                    else { continue }
                    let objects = try reply.text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
                    guard let next = objects.last?["cursor"]?.string else { continue }
                    lines += objects.filter { $0["event"] != nil }
                    cursor = next
                    return
                }
            }

            var texts: Set<String> { Set(lines.compactMap { $0["event"]?["text"]?.string }) }
        }

        @Test("persisters are killed while they store: every event once, each thread in its order, as in its history")
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
                    ])
            }
            let persisters = [try await start("persister", "p1"), try await start("persister", "p2")]
            let gateway = try await start("gateway", "g1")
            let alice = try await TestUser.signUp("alice", port: persisters[0].port)
            var rooms: [String] = []
            for number in 0..<6 { rooms.append(try await alice.join("Room \(number)")) }
            let socket = try await TestSocket.connect(port: gateway.port, headers: alice.cookieHeader)
            var reader = Reader(ports: persisters.map(\.port))
            for round in 0..<4 {
                for number in 0..<30 { try await socket.say("\(round) \(number)", in: rooms[number % 6]) }
                try await persisters[round % 2].kill()
                try await reader.read()
                for number in 30..<60 { try await socket.say("\(round) \(number)", in: rooms[number % 6]) }
                try await persisters[round % 2].restart()
                try await reader.read()
            }
            let isComplete = try await eventually(within: .seconds(60)) {
                try await reader.read()
                return reader.texts.count == 240
            }
            #expect(isComplete, "\(reader.texts.count)")
            try await reader.read()
            let ids = reader.lines.compactMap { $0["id"]?.string }
            #expect(Set(ids).count == ids.count)
            for room in rooms {
                let events = reader.lines.compactMap { $0["event"] }.filter { $0["thread_id"]?.string == room }
                let seqs = events.compactMap { $0["seq"]?.int }
                #expect(seqs == Array(1...41))
                let history = try await HTTPClient(
                    port: persisters[0].port, headers: [("Authorization", "Bearer \(Self.key)")]
                ).get("/v1/threads/\(room)/events?limit=200").json()["events"]?.array
                #expect(history?.compactMap { $0["seq"]?.int } == seqs)
            }
        }
    }
}
