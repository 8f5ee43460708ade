import ParleyTestServers
import ParleyTestSupport
import Testing

/// New names reach the sockets of every node, even if its control event is lost.
@Suite("New names that nodes are not told of", .timeLimit(.minutes(5)))
struct LostProfileTests {
    private struct Garden {
        let cluster: Cluster
        let ann: TestUser
        /// A socket of another user on each gateway.
        let sockets: [TestSocket]

        static func start() async throws -> Garden {
            let cluster = try await Cluster.start(gateways: 2, persisters: 2, hasLines: true)
            let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
            let bob = try await TestUser.signUp("bob", port: cluster.persisters[0].port)
            for user in [ann, bob] { _ = try await user.join("garden") }
            var sockets: [TestSocket] = []
            for gateway in cluster.gateways {
                let socket = try await TestSocket.connect(
                    port: gateway.port, headers: bob.cookieHeader, subprotocols: ["parley.v1"])
                _ = try await socket.nextJSON { $0["type"] == "hello" }
                sockets.append(socket)
            }
            // A node announces what changes after its first look at the feed, some 200 ms after its start.
            var count = 0
            for socket in sockets {
                var isAnnounced = false
                while !isAnnounced {
                    count += 1
                    try await rename(bob, "Bob \(count)")
                    isAnnounced = (try? await socket.nextJSON(within: .seconds(5)) { $0["type"] == "user" }) != nil
                }
            }
            return Garden(cluster: cluster, ann: ann, sockets: sockets)
        }

        private static func rename(_ user: TestUser, _ name: String) async throws {
            let json: JSONValue = ["display_name": .string(name)]
            let reply = try await user.http.send(
                "PATCH", "/v1/me", headers: [("Content-Type", "application/json")], body: Array(json.text.utf8))
            #expect(reply.status == 200, "\(reply.text)")
        }

        func rename(_ name: String) async throws { try await Self.rename(ann, name) }

        /// Waits until every socket has the name.
        func expect(_ name: String, within limit: Duration) async throws {
            let began = ContinuousClock.now
            for socket in sockets {
                _ = try await socket.nextJSON(within: .seconds(30)) {
                    $0["type"] == "user" && $0["user"]?["display_name"]?.string == name
                }
            }
            let delay = ContinuousClock.now - began
            print("\(name) was there after \(delay)")
            #expect(delay < limit)
        }
    }

    @Test("a new name reaches the sockets of all nodes within a second")
    func told() async throws {
        let garden = try await Garden.start()
        try await garden.rename("Ann")
        try await garden.expect("Ann", within: .seconds(1))
        try await garden.cluster.stop()
    }

    @Test("a name that was changed at a node cut from Redis reaches the others within ten seconds")
    func writerIsCut() async throws {
        let garden = try await Garden.start()
        garden.cluster.persisterLines[0].redis.become(.cut)
        try await garden.rename("Ann")
        try await garden.expect("Ann", within: .seconds(10))
        try await garden.cluster.stop()
    }

    @Test("a gateway that was cut from the bus, or from the database, learns of a name within ten seconds")
    func readerIsCut() async throws {
        let garden = try await Garden.start()
        let lines = garden.cluster.gatewayLines[0]
        lines.redis.become(.cut)
        try await garden.rename("By bus")
        lines.redis.become(.normal)
        try await garden.expect("By bus", within: .seconds(10))
        lines.postgres.become(.cut)
        try await garden.rename("By database")
        lines.postgres.become(.normal)
        try await garden.expect("By database", within: .seconds(10))
        try await garden.cluster.stop()
    }
}
