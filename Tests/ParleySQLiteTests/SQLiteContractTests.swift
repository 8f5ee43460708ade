import ParleyTestSupport
import Testing

@Suite("SQLite keeps the contract of the store")
struct SQLiteContractTests {
    @Test("in every fact", arguments: StoreFact.all)
    func holds(fact: StoreFact) async throws {
        try await fact.check(on: SQLiteTestDatabase.self)
    }

    @Test("in five times two thousand random operations", arguments: [1, 2, 3, 4, UInt64.random(in: 5 ... .max)])
    func agreesWithTheModel(seed: UInt64) async throws {
        try await StoreModelRun.check(on: SQLiteTestDatabase.self, seed: seed, operations: 2000)
    }
}
