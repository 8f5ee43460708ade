import CoreMetrics
import ParleyModel
import ParleyRedis
import ParleyRedisModel
import ParleyRedisTestSupport
import ParleyTestContracts
import Testing

/// One after another, so that they do not slow down all other unit tests.
@Suite("The Redis adapters satisfy their contracts on the model", .serialized, .timeLimit(.minutes(5)))
struct ModelContractTests {
    @Test("thread bus", arguments: ThreadBusFact.allCases, Shape.plain + Shape.many + Shape.core)
    func bus(_ fact: ThreadBusFact, _ shape: Shape) async throws {
        try await check(shape) { try await fact.check($0) }
    }

    @Test("message log", arguments: MessageLogFact.allCases, Shape.plain + Shape.many + Shape.core.prefix(1))
    func log(_ fact: MessageLogFact, _ shape: Shape) async throws {
        try await check(shape) { try await fact.check($0) }
    }

    @Test("ingest stream", arguments: IngestStreamFact.allCases, Shape.plain + Shape.many)
    func ingest(_ fact: IngestStreamFact, _ shape: Shape) async throws {
        try await check(shape) { try await fact.check($0) }
    }

    private func check(_ shape: Shape, _ fact: (RedisFixture) async throws -> Void) async throws {
        let (fixture, models) = try await RedisFixture.startOnModel(shape)
        try await fact(fixture)
        #expect(models.complaints.isEmpty)
    }

    @Test("presence registry", arguments: PresenceRegistryFact.allCases, [1, 3])
    func presence(_ fact: PresenceRegistryFact, hosts: Int) async throws {
        let fixture = RedisPresenceFixture(models: hosts)
        try await fact.check(fixture)
        await fixture.stop()
    }

    @Test("rate store", arguments: RateStoreFact.allCases, [1, 3])
    func rates(_ fact: RateStoreFact, hosts: Int) async throws {
        try await withNodes(hosts) {
            try await fact.check($0.map { RedisRateStore(hosts: $0.hosts, timeout: .seconds(2)) })
        }
    }

    @Test("trace store", arguments: TraceStoreFact.allCases, [1, 3])
    func traces(_ fact: TraceStoreFact, hosts: Int) async throws {
        try await withNodes(hosts) {
            try await fact.check(
                $0.map { RedisTraceStore(hosts: $0.hosts) }, mostStamps: RedisTraceStore.mostStamps)
        }
    }

    @Test("node registry", arguments: NodeRegistryFact.allCases, [1, 3])
    func nodes(_ fact: NodeRegistryFact, hosts: Int) async throws {
        try await withNodes(hosts) { try await fact.check($0.map { RedisNodeRegistry(hosts: $0.hosts) }) }
    }

    private func withNodes(_ hosts: Int, _ body: ([RedisNode]) async throws -> Void) async throws {
        let settings = RedisSettings(addresses: ModelHosts.addresses(hosts))
        let models = ModelHosts(settings)
        var nodes: [RedisNode] = []
        for _ in 0..<2 {
            nodes.append(try await RedisNode.start(settings, history: NaiveStore(), transport: models))
        }
        try await body(nodes)
        for node in nodes { await node.stop() }
        #expect(models.complaints.isEmpty)
    }
}
