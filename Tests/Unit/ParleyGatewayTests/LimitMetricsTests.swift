import MetricsTestKit
import ParleyGateway
import ParleyModel
import Testing

@Suite("Reached limits are counted by name")
struct LimitMetricsTests {
    @Test("those of connections, each once for each refusal")
    func connections() throws {
        let metrics = TestMetrics()
        var limits = Limits()
        (limits.connectionsPerUser, limits.connectionsPerAddress, limits.connections) = (1, 2, 3)
        let counts = ConnectionCounts(limits: limits, spare: 1, metrics: GatewayMetrics(factory: metrics))
        func open(_ user: String, _ address: String) {
            try? counts.openSocket(of: UserID(trusted: user), from: address)
        }
        open("ann", "1")
        open("ann", "1")
        open("ann", "2")
        open("bob", "1")
        open("cid", "1")
        try? counts.openLine(from: "1")
        try? counts.openLine(from: "3")
        open("dan", "4")
        for _ in 0..<5 { _ = counts.openConnection(from: nil) }
        let expected = [
            "connections": 1, "connections_per_user": 2, "connections_per_address": 2, "spare_connections": 4,
            "text_chars": 0, "frame_bytes": 0, "outbound_bytes": 0, "sends": 0,
            "login_failures_per_account_per_minute": 0, "login_failures_per_address_per_minute": 0,
            "signups_per_address_per_minute": 0,
        ]
        for (limit, count) in expected {
            let counter = try metrics.expectCounter("parley_limits_reached_total", [("limit", limit)])
            #expect(counter.totalValue == Int64(count), "\(limit)")
        }
    }
}
