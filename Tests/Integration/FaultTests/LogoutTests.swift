import ParleyTestServers
import ParleyTestSupport
import Testing

/// DESIGN §6: who has no right to a socket has none on any node.
@Suite("Sessions end on all nodes", .timeLimit(.minutes(2)))
struct LogoutTests {
    @Test("a logout closes the sockets on every node within a second, and its ticket opens none")
    func logout() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 1)
        let user = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let other = try await TestUser.logIn("ann", port: cluster.persisters[0].port)
        let classic = try await TestSocket.connect(port: cluster.gateways[0].port, headers: user.cookieHeader)
        let modern = try await TestSocket.connect(
            port: cluster.gateways[1].port, headers: user.cookieHeader, subprotocols: ["parley.v1"])
        let stays = try await TestSocket.connect(
            port: cluster.gateways[1].port, headers: other.cookieHeader, subprotocols: ["parley.v1"])
        let ticket = try #require(try await modern.nextJSON()["ticket"]?.string)
        #expect(try await stays.nextJSON()["type"]?.string == "hello")
        let began = ContinuousClock.now
        try await user.logOut()
        #expect(try await classic.closeCode() == 4001)
        #expect(try await modern.closeCode() == 4001)
        let took = ContinuousClock.now - began
        print("closed after \(took)")
        // Without the control event it would be up to 10 s.
        #expect(took < .seconds(8))
        for gateway in cluster.gateways {
            let late = try await TestSocket.open(
                port: gateway.port, path: "/v1/socket?ticket=\(ticket)", subprotocols: ["parley.v1"])
            #expect(late.status == 401)
            let again = try await TestSocket.open(port: gateway.port, headers: user.cookieHeader)
            #expect(again.status == 401)
        }
        // The other session of the same user lives.
        try await stays.send(text: #"{"ref":1,"ping":1}"#)
        #expect(try await stays.nextJSON()["type"]?.string == "pong")
        try await cluster.stop()
    }
}
