import ParleyModel
import ParleyRedis
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import Testing

@Suite("The trace store in Redis", .timeLimit(.minutes(5)))
struct TraceStoreTests {
    @Test("the contract of trace stores is satisfied", .serialized, arguments: TraceStoreFact.allCases, [1, 3])
    func contract(_ fact: TraceStoreFact, hosts: Int) async throws {
        let cluster = try await RedisCluster.start(hosts: hosts, nodes: 2)
        try await fact.check(
            cluster.nodes.map { RedisTraceStore(hosts: $0.hosts) }, mostStamps: RedisTraceStore.mostStamps)
        await cluster.stop()
    }

    @Test("stamps expire after an hour; invalid ones are skipped; an outage is reported")
    func bounds() async throws {
        let fixture = try await RunningRedis.start()
        let store = RedisTraceStore(hosts: fixture.nodes[0].hosts)
        let stamp = TraceStamp(.taken, at: "p", microseconds: WallClock.systemMicroseconds())
        await store.add([stamp], of: MessageID(trusted: "m"))
        let life = Int(try await fixture.server.cli("TTL", "parley:trace:m")) ?? 0
        #expect((3500...3600).contains(life))
        for text in ["", "x", "read n 1", "walked n 1 0", "read n x 0", "read n 1 x", "read n 1 0 0"] {
            try await fixture.server.cli("RPUSH", "parley:trace:m", text)
        }
        #expect(try await store.stamps(of: MessageID(trusted: "m")) == [stamp])
        try await fixture.server.kill()
        await store.add([stamp], of: MessageID(trusted: "m"))
        await #expect(throws: SharedStoreError.self) { try await store.stamps(of: MessageID(trusted: "m")) }
        await fixture.stop()
    }

    @Test("the stamps of a node with a wrong clock are corrected")
    func wrongClock() async throws {
        let fixture = try await RunningRedis.start(nodes: 2)
        let message = MessageID(trusted: "m")
        let late = RedisTraceStore(hosts: fixture.nodes[0].hosts) { WallClock.systemMicroseconds() - 60_000_000 }
        let right = WallClock.systemMicroseconds()
        await late.add([TraceStamp(.read, at: "n", microseconds: right - 60_000_000)], of: message)
        let stamp = try #require(try await RedisTraceStore(hosts: fixture.nodes[1].hosts).stamps(of: message).first)
        // The maximum error is the duration of the request to Redis.
        #expect(abs(stamp.microseconds - right) < 500_000)
        await fixture.stop()
    }

    @Test(
        "a clock is corrected only if the difference exceeds the duration of the request",
        arguments: [(100, 150, 200, 0), (100, 100, 100, 0), (100, 99, 200, -51), (100, 1150, 200, 1000)]
            as [(
                Int64, Int64, Int64, Int64
            )])
    func correction(before: Int64, redis: Int64, after: Int64, correction: Int64) {
        #expect(RedisTraceStore.correction(before: before, redis: redis, after: after) == correction)
    }
}
