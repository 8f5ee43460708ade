import ParleyTestContracts
import Testing

@Suite("SQLite satisfies the contract of the store")
struct SQLiteContractTests {
    @Test("every fact holds", arguments: StoreFact.all)
    func holds(fact: StoreFact) async throws {
        try await fact.check(on: SQLiteTestDatabase.self)
    }

    @Test(
        "two thousand random operations match the model",
        arguments: [1, 2, 3, 4, 6_780_331_392_636_563_058, UInt64.random(in: 5 ... .max)])
    func agreesWithTheModel(seed: UInt64) async throws {
        try await StoreModelRun.check(on: SQLiteTestDatabase.self, seed: seed, operations: 2000)
    }
}
