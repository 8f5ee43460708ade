import ParleyMemory
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Names and tickets in memory")
struct LedgerTests {
    private let one = ConnectionID(trusted: "one")
    private let two = ConnectionID(trusted: "two")

    @Test("a name is one connection's until it gives it up")
    func names() async {
        let names = MemoryGuestNames()
        #expect(await names.claim("Zoë", for: one))
        #expect(await names.claim("Zoë", for: one))
        #expect(await !names.claim("Zoë", for: two))
        await names.release("Zoë", by: two)
        #expect(await !names.claim("Zoë", for: two))
        await names.release("Zoë", by: one)
        #expect(await names.claim("Zoë", for: two))
    }

    @Test("names are bounded")
    func nameBound() async {
        let names = MemoryGuestNames(limit: 2)
        #expect(await names.claim("a", for: one))
        #expect(await names.claim("b", for: one))
        #expect(await !names.claim("c", for: one))
        await names.release("a", by: one)
        #expect(await names.claim("c", for: one))
    }

    @Test("a ticket is redeemed once, and not after its time")
    func tickets() async {
        let clock = TestClock(milliseconds: 1000)
        let ledger = MemoryTicketLedger(clock: clock.wallClock)
        #expect(await ledger.redeem("n", until: 31_000))
        #expect(await !ledger.redeem("n", until: 31_000))
        #expect(await ledger.redeem("m", until: 31_000))
        clock.milliseconds = 30_999
        #expect(await !ledger.redeem("n", until: 31_000))
        clock.milliseconds = 31_000
        #expect(await !ledger.redeem("n", until: 31_000))
    }

    @Test("at the bound no ticket is accepted, and none is forgotten, until some have expired")
    func ticketBound() async {
        let clock = TestClock(milliseconds: 1000)
        let ledger = MemoryTicketLedger(limit: 2, clock: clock.wallClock)
        #expect(await ledger.redeem("a", until: 5000))
        #expect(await ledger.redeem("b", until: 9000))
        #expect(await !ledger.redeem("c", until: 9000))
        #expect(await !ledger.redeem("a", until: 5000))
        clock.milliseconds = 5000
        #expect(await ledger.redeem("c", until: 9000))
        #expect(await !ledger.redeem("b", until: 9000))
    }

    @Test("many at once: one redeems")
    func race() async {
        let ledger = MemoryTicketLedger(clock: TestClock(milliseconds: 0).wallClock)
        let count = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await ledger.redeem("n", until: 10) } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(count == 1)
    }
}
