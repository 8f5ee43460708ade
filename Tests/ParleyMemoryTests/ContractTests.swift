import ParleyMemory
import ParleyTestSupport
import Testing

@Suite("The memory adapters keep the contracts of the log ports", .timeLimit(.minutes(1)))
struct ContractTests {
    @Test("thread bus", arguments: ThreadBusFact.allCases, Variant.all)
    func bus(_ fact: ThreadBusFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }

    @Test("message log", arguments: MessageLogFact.allCases, Variant.all)
    func log(_ fact: MessageLogFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }

    @Test("revocation ledger", arguments: RevocationLedgerFact.allCases)
    func revocations(_ fact: RevocationLedgerFact) async throws {
        try await fact.check([MemoryRevocationLedger(memory: .zero)])
    }

    @Test("rate ledger", arguments: RateLedgerFact.allCases)
    func rates(_ fact: RateLedgerFact) async throws {
        try await fact.check([MemoryRateLedger()])
    }

    @Test("presence board", arguments: PresenceBoardFact.allCases)
    func presence(_ fact: PresenceBoardFact) async throws {
        try await fact.check(MemoryPresenceFixture())
    }

    /// Nothing unreadable can get into a memory log.
    static let ingestFacts = IngestStreamFact.allCases.filter { $0 != .unreadableEntriesDoNotBlock }

    @Test("ingest stream", arguments: ingestFacts, Variant.all)
    func ingest(_ fact: IngestStreamFact, _ variant: Variant) async throws {
        try await fact.check(MemoryFixture(variant))
    }
}
