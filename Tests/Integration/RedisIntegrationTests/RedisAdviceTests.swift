import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import Testing

@Suite("Problems in the configuration of Redis are reported", .timeLimit(.minutes(5)))
struct RedisAdviceTests {
    @Test("the hosts are queried")
    func hosts() async throws {
        let good = try await RedisServer.start(.init(keepsData: true))
        let bad = try await RedisServer.start()
        let settings = RedisSettings(addresses: try [good, bad].map { try RedisAddress($0.url) })
        let node = try await RedisNode.start(settings, history: NaiveStore())
        let advice = try await node.hosts.advice()
        #expect(advice.count == 1)
        #expect(advice.first?.hasPrefix("redis://127.0.0.1:\(bad.port)/0: appendonly is off") == true, "\(advice)")
        await node.stop()
    }
}
