import ParleyTestServers
import ParleyTestSupport
import Testing

/// A suspension and its end hold on every node, even if the notification of them is lost.
@Suite("Suspensions that nodes are not told of", .timeLimit(.minutes(5)))
struct LostSuspensionTests {
    /// Maximum time until a node finds a change whose notification was lost.
    private static let limit = Duration.seconds(10)

    @Test(
        "a suspension while a gateway is cut from the bus closes its sockets afterwards, and new ones are refused at once"
    )
    func cut() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 2, hasLines: true)
        let port = cluster.persisters[0].port
        let ann = try await TestUser.signUp("ann", port: port)
        let gateway = cluster.gateways[0]
        let live = try await TestSocket.connect(
            port: gateway.port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
        _ = try await live.nextJSON { $0["type"]?.string == "hello" }

        cluster.gatewayLines[0].redis.become(.cut)
        let path = "/v1/admin/users/\(ann.id)/suspension"
        let reply = try await cluster.rest().send(
            "PUT", path, headers: [("Content-Type", "application/json")], body: Array(#"{"reason":"spam"}"#.utf8))
        #expect(reply.status == 200, "\(reply)")
        let fresh = try await TestSocket.open(port: gateway.port, headers: ann.cookieHeader)
        #expect([403, 503].contains(fresh.status))
        cluster.gatewayLines[0].redis.become(.normal)
        #expect(try await live.closeCode(within: Self.limit) == 4003)
        #expect(
            try await eventually {
                try await TestSocket.open(port: gateway.port, headers: ann.cookieHeader).status == 403
            })
        #expect(try await cluster.rest().send("DELETE", path).status == 204)
        #expect(
            try await eventually {
                try await TestSocket.open(port: gateway.port, headers: ann.cookieHeader).status == 101
            })
        try await cluster.stop()
    }
}
