import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("PostgreSQL satisfies the contract of the store")
struct ContractTests {
    @Test("every fact holds", .serialized, arguments: StoreFact.all)
    func holds(fact: StoreFact) async throws {
        try await fact.check(on: PostgresTestDatabase.self)
    }

    @Test(
        "two thousand random operations match the model",
        arguments: [1, 2, 3, 6_780_331_392_636_563_058, UInt64.random(in: 4 ... .max)])
    func agreesWithTheModel(seed: UInt64) async throws {
        try await StoreModelRun.check(on: PostgresTestDatabase.self, seed: seed, operations: 2000)
    }
}
