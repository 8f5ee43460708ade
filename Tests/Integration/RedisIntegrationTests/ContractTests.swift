import ParleyRedisTestSupport
import ParleyTestContracts
import Testing

@Suite("The Redis adapters satisfy the contracts of the log ports", .timeLimit(.minutes(2)))
struct ContractTests {
    @Test("thread bus", arguments: ThreadBusFact.allCases, Shape.plain + Shape.many + Shape.core)
    func bus(_ fact: ThreadBusFact, _ shape: Shape) async throws {
        try await fact.check(RedisFixture.start(shape))
    }

    @Test("message log", arguments: MessageLogFact.allCases, Shape.plain + Shape.core.prefix(1))
    func log(_ fact: MessageLogFact, _ shape: Shape) async throws {
        try await fact.check(RedisFixture.start(shape))
    }

    @Test("message log on several hosts", arguments: MessageLogFact.allCases, Shape.many)
    func logOnManyHosts(_ fact: MessageLogFact, _ shape: Shape) async throws {
        try await fact.check(RedisFixture.start(shape))
    }

    @Test("ingest stream", arguments: IngestStreamFact.allCases, Shape.plain + Shape.many)
    func ingest(_ fact: IngestStreamFact, _ shape: Shape) async throws {
        try await fact.check(RedisFixture.start(shape))
    }
}
