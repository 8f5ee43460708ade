import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("The memory adapters satisfy the contracts of the ports", .timeLimit(.minutes(5)))
struct ContractTests {
    @Test("thread bus", arguments: ThreadBusFact.allCases, Variant.all)
    func bus(_ fact: ThreadBusFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }

    @Test("message log", arguments: MessageLogFact.allCases, Variant.all)
    func log(_ fact: MessageLogFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }

    @Test("rate store", arguments: RateStoreFact.allCases)
    func rates(_ fact: RateStoreFact) async throws {
        try await fact.check([MemoryRateStore()])
        try await fact.check([CompletingRates(MemoryRateStore())])
    }

    @Test("trace store", arguments: TraceStoreFact.allCases)
    func traces(_ fact: TraceStoreFact) async throws {
        try await fact.check([MemoryTraceStore()], mostStamps: MemoryTraceStore.mostStamps)
    }

    @Test("the trace store keeps the newest messages")
    func traceLimit() async throws {
        let store = MemoryTraceStore(limit: 10)
        let stamp = TraceStamp(.read, at: "n", microseconds: 1)
        for number in 0..<100 { await store.add([stamp], of: MessageID(trusted: "\(number)")) }
        var known: [Int] = []
        for number in 0..<100 {
            if try await !store.stamps(of: MessageID(trusted: "\(number)")).isEmpty { known.append(number) }
        }
        #expect((5...10).contains(known.count) && known == Array((100 - known.count)..<100))
    }

    @Test("presence registry", arguments: PresenceRegistryFact.allCases)
    func presence(_ fact: PresenceRegistryFact) async throws {
        try await fact.check(MemoryPresenceFixture())
    }

    @Test("node registry", arguments: NodeRegistryFact.allCases)
    func nodes(_ fact: NodeRegistryFact) async throws {
        let nodes = MemoryNodes()
        try await fact.check([nodes.makeRegistry(), nodes.makeRegistry()])
    }

    /// A memory log cannot hold unreadable entries.
    static let ingestFacts = IngestStreamFact.allCases.filter { $0 != .unreadableEntriesDoNotBlock }

    @Test("ingest stream", arguments: ingestFacts, Variant.all)
    func ingest(_ fact: IngestStreamFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }
}
