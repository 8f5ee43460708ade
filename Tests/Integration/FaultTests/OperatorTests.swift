import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// What operators see and do, over the nodes of a real cluster, by the REST of a persister.
@Suite("Operators see and steer all nodes", .serialized, .timeLimit(.minutes(5)))
struct OperatorTests {
    @Test("sockets are found on every node, and a user's sessions end on all of them within a second")
    func sockets() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 2)
        let rest = cluster.rest()
        try await waitForNodes(rest, ["gateway1", "gateway2", "persister1", "persister2"])
        let overview = try await rest.get("/v1/admin/overview").json()
        #expect(overview["redis"]?["state"]?.string == "up")
        #expect(overview["database"]?["state"]?.string == "up")
        #expect(overview["registry"]?["state"]?.string == "up")
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let bob = try await TestUser.signUp("bob", port: cluster.persisters[1].port)
        let room = try await ann.join("Tea")
        #expect(try await bob.join("Tea") == room)
        let classic = try await TestSocket.connect(port: cluster.gateways[0].port, headers: ann.cookieHeader)
        let modern = try await TestSocket.connect(
            port: cluster.gateways[1].port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
        let basic = try await TestSocket.connect(
            port: cluster.gateways[1].port,
            headers: [("Authorization", "Basic \(Data("ann:correct horse".utf8).base64EncodedString())")])
        let bobs = try await TestSocket.connect(port: cluster.gateways[1].port, headers: bob.cookieHeader)
        try await classic.send(json: ["message": ["id": .string(room), "text": "hi"]])
        #expect(try await classic.nextJSON()["text"]?.string == "hi")
        #expect(try await bobs.nextJSON()["text"]?.string == "hi")

        // Each persister sends its own requests to the gateways.
        for persister in 0..<2 {
            let found = try await cluster.rest(persister: persister).get("/v1/admin/users/ann").json()
            let sockets = try #require(found["sockets"]?.array)
            #expect(
                Set(sockets.map { "\($0["node"]?.string ?? "") \($0["dialect"]?.string ?? "")" }) == [
                    "gateway1 classic", "gateway2 v1", "gateway2 classic",
                ])
            #expect(found["socket_count"]?.int == 3)
            #expect(found["silent_nodes"]?.array?.isEmpty == true)
            // Two joined, one message.
            for socket in sockets { #expect(socket["positions"]?.array?.first?["seq"]?.int == 3) }
        }
        let thread = try await rest.get("/v1/admin/threads/\(room)").json()
        #expect(thread["nodes"]?.array?.compactMap(\.string) == ["gateway1", "gateway2"])
        #expect(thread["socket_count"]?.int == 4)
        #expect(thread["seq"]?.int == 3)

        let began = ContinuousClock.now
        let ended = try await rest.post("/v1/admin/users/ann/revoke-sessions", json: [:]).json()
        for socket in [classic, modern, basic] { #expect(try await socket.closeCode() == 4001) }
        let took = ContinuousClock.now - began
        print("closed after \(took)")
        // Without the control event it would be up to 10 s.
        #expect(took < .seconds(8))
        #expect(ended["sessions"]?.int == 1)
        #expect(ended["silent_nodes"]?.array?.isEmpty == true)
        let again = try await TestSocket.open(port: cluster.gateways[0].port, headers: ann.cookieHeader)
        #expect(again.status == 401)
        try await bobs.send(json: ["message": ["id": .string(room), "text": "still here"]])
        #expect(try await bobs.nextJSON()["text"]?.string == "still here")
        try await cluster.stop()
    }

    @Test(
        "a node is drained by its name; one that is killed is silent, then gone; without Redis one's own node answers")
    func nodes() async throws {
        let cluster = try await Cluster.start(gateways: 3, persisters: 1, drainSeconds: 1)
        let rest = cluster.rest()
        try await waitForNodes(rest, ["gateway1", "gateway2", "gateway3", "persister1"])
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        _ = try await ann.join("Tea")
        let socket = try await TestSocket.connect(
            port: cluster.gateways[0].port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
        #expect(try await socket.nextJSON()["type"]?.string == "hello")
        let response = try await rest.post("/v1/admin/nodes/gateway1/drain", json: [:])
        #expect(response.status == 202)
        #expect(try response.json()["draining"]?.bool == true)
        #expect(try await socket.nextJSON { $0["type"]?.string == "bye" }["ticket"]?.string != nil)
        #expect(try await socket.closeCode() == 4200)
        // Signal 0 is none: it only waits.
        #expect(try await cluster.gateways[0].terminate(signal: 0) == .exited(0))
        try await waitForNodes(rest, ["gateway2", "gateway3", "persister1"])
        #expect(try await rest.post("/v1/admin/nodes/gateway1/drain", json: [:]).status == 404)

        try await cluster.gateways[1].kill()
        let began = ContinuousClock.now
        let late = try await rest.get("/v1/admin/users/ann").json()
        #expect(late["silent_nodes"]?.array?.compactMap(\.string) == ["gateway2"])
        #expect(ContinuousClock.now - began < .seconds(5) + .leeway)
        try await waitForNodes(rest, ["gateway3", "persister1"])

        try await cluster.redis.kill()
        let isNoticed = try await eventually {
            let overview = try await rest.get("/v1/admin/overview").json()
            return overview["registry"]?["state"]?.string == "unavailable"
                && overview["redis"]?["state"]?.string == "unavailable"
                && overview["nodes"]?.array?.compactMap { $0["node"]?.string } == ["persister1"]
        }
        #expect(isNoticed)
        try await cluster.redis.restart()
        try await waitForNodes(rest, ["gateway3", "persister1"])
        try await cluster.stop()
    }

    /// The figures are read from the node's own metrics, by their names.
    @Test("rates, partitions and the busiest thread are those of what is going on")
    func figures() async throws {
        let cluster = try await Cluster.start(gateways: 1, persisters: 1)
        let rest = cluster.rest()
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let room = try await ann.join("Tea")
        let socket = try await TestSocket.connect(port: cluster.gateways[0].port, headers: ann.cookieHeader)
        let rates = ["messages_in_per_second", "deliveries_per_second", "stored_per_second", "cpu"]
        let isSeen = try await eventually(within: .seconds(20)) {
            try await socket.send(json: ["message": ["id": .string(room), "text": "hi"]])
            _ = try await socket.nextJSON()
            let overview = try await rest.get("/v1/admin/overview").json()
            return rates.allSatisfy { isPositive(overview["totals"]?[$0]) }
        }
        #expect(isSeen)
        let overview = try await rest.get("/v1/admin/overview").json()
        #expect(overview["persist"]?["partitions"]?.int == 64)
        #expect(overview["totals"]?["sockets"]?.int == 1)
        #expect((overview["totals"]?["resident_bytes"]?.int ?? 0) > 1_000_000)
        let top = try await rest.get("/v1/admin/threads/top").json()["threads"]?.array?.first
        #expect(top?["title"]?.string == "Tea")
        #expect(top?["nodes"]?.array?.compactMap(\.string) == ["gateway1"])
        try await cluster.stop()
    }

    private func isPositive(_ value: JSONValue?) -> Bool {
        switch value {
        case .int(let number): number > 0
        case .double(let number): number > 0
        default: false
        }
    }

    private func waitForNodes(_ rest: HTTPClient, _ names: [String]) async throws {
        var last = ""
        let isSo = try await eventually(within: .patience) {
            let reply = try await rest.get("/v1/admin/nodes")
            last = reply.text
            return try reply.json()["nodes"]?.array?.compactMap { $0["node"]?.string } == names
        }
        #expect(isSo, "\(last)")
    }
}
