import ParleyMemory
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("The memory adapters keep the contracts of the log ports", .timeLimit(.minutes(5)))
struct ContractTests {
    @Test("thread bus", arguments: ThreadBusFact.allCases, Variant.all)
    func bus(_ fact: ThreadBusFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }

    @Test("message log", arguments: MessageLogFact.allCases, Variant.all)
    func log(_ fact: MessageLogFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }

    @Test("rate ledger", arguments: RateLedgerFact.allCases)
    func rates(_ fact: RateLedgerFact) async throws {
        try await fact.check([MemoryRateLedger()])
    }

    @Test("trace ledger", arguments: TraceLedgerFact.allCases)
    func traces(_ fact: TraceLedgerFact) async throws {
        try await fact.check([MemoryTraceLedger()], mostStamps: MemoryTraceLedger.mostStamps)
    }

    @Test("the trace ledger remembers the newest messages")
    func traceLimit() async throws {
        let ledger = MemoryTraceLedger(limit: 10)
        let stamp = TraceStamp(.read, at: "n", microseconds: 1)
        for number in 0..<100 { await ledger.add([stamp], of: MessageID(trusted: "\(number)")) }
        var known: [Int] = []
        for number in 0..<100 {
            if try await !ledger.stamps(of: MessageID(trusted: "\(number)")).isEmpty { known.append(number) }
        }
        #expect((5...10).contains(known.count) && known == Array((100 - known.count)..<100))
    }

    @Test("presence board", arguments: PresenceBoardFact.allCases)
    func presence(_ fact: PresenceBoardFact) async throws {
        try await fact.check(MemoryPresenceFixture())
    }

    @Test("node board", arguments: NodeBoardFact.allCases)
    func nodes(_ fact: NodeBoardFact) async throws {
        let nodes = MemoryNodes()
        try await fact.check([nodes.makeBoard(), nodes.makeBoard()])
    }

    /// Nothing unreadable can get into a memory log.
    static let ingestFacts = IngestStreamFact.allCases.filter { $0 != .unreadableEntriesDoNotBlock }

    @Test("ingest stream", arguments: ingestFacts, Variant.all)
    func ingest(_ fact: IngestStreamFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }
}
