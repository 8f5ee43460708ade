import ParleyTestContracts
import Testing

@Suite("The model of the store satisfies its contract")
struct ModelContractTests {
    @Test("every fact holds", arguments: StoreFact.all)
    func holds(fact: StoreFact) async throws {
        try await fact.check(on: ModelTestDatabase.self)
    }

    @Test(
        "two thousand random operations match the naive model",
        arguments: [1, 2, 3, 4, 6_780_331_392_636_563_058, UInt64.random(in: 5 ... .max)])
    func agreesWithTheNaiveModel(seed: UInt64) async throws {
        try await StoreModelRun.check(on: ModelTestDatabase.self, seed: seed, operations: 2000)
    }
}
