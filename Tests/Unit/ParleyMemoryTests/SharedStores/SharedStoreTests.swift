import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("Names and tickets in memory")
struct SharedStoreTests {
    private let one = ConnectionID(trusted: "one")
    private let two = ConnectionID(trusted: "two")

    @Test("a name belongs to one connection until that releases it")
    func names() async {
        let names = MemoryGuestNames()
        #expect(await names.claim("Zoë", for: one))
        #expect(await names.claim("Zoë", for: one))
        #expect(await !names.claim("Zoë", for: two))
        await names.release("Zoë", by: two)
        #expect(await !names.claim("Zoë", for: two))
        await names.release("Zoë", by: one)
        #expect(await names.claim("Zoë", for: two))
        #expect(await !names.claim("ZOË", for: one))
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

    @Test("a ticket is redeemed once, and not after its expiry")
    func tickets() async {
        let clock = TestClock(milliseconds: 1000)
        let store = MemoryTicketStore(clock: clock.wall)
        #expect(await store.redeem("n", until: 31_000))
        #expect(await !store.redeem("n", until: 31_000))
        #expect(await store.redeem("m", until: 31_000))
        clock.milliseconds = 30_999
        #expect(await !store.redeem("n", until: 31_000))
        clock.milliseconds = 31_000
        #expect(await !store.redeem("n", until: 31_000))
    }

    @Test("at the bound no ticket is accepted or forgotten until some have expired")
    func ticketBound() async {
        let clock = TestClock(milliseconds: 1000)
        let store = MemoryTicketStore(limit: 2, clock: clock.wall)
        #expect(await store.redeem("a", until: 5000))
        #expect(await store.redeem("b", until: 9000))
        #expect(await !store.redeem("c", until: 9000))
        #expect(await !store.redeem("a", until: 5000))
        clock.milliseconds = 5000
        #expect(await store.redeem("c", until: 9000))
        #expect(await !store.redeem("b", until: 9000))
    }

    @Test("full buckets and ended windows are removed; at the bound there are no new ones")
    func rateBound() async throws {
        let clock = TestClock(milliseconds: 1_000_000)
        let store = MemoryRateStore(limit: 10, clock: clock.wall)
        let rate = TokenRate(interval: 1_000_000, burst: 5)
        for number in 0..<10 { #expect(try await store.take(1, of: .loginAccount("\(number)"), at: rate) == 0) }
        await #expect(throws: SharedStoreError.self) {
            try await store.take(1, of: .loginAccount("10"), at: rate)
        }
        #expect(try await store.take(1, of: .loginAccount("0"), at: rate) == 0)
        clock.milliseconds += 1000
        #expect(try await store.take(1, of: .loginAccount("10"), at: rate) == 0)
        #expect(store.count == 2)
        for number in 0..<10 { _ = try await store.count(1, of: .loginAddress("\(number)"), within: 1000) }
        await #expect(throws: SharedStoreError.self) {
            try await store.count(1, of: .loginAddress("x"), within: 1000)
        }
        clock.milliseconds += 10_000
        #expect(try await store.count(1, of: .loginAddress("x"), within: 1000)?.failures == 1)
        #expect(store.count == 1)
    }

    @Test("one of many concurrent calls redeems a ticket")
    func race() async {
        let store = MemoryTicketStore(clock: TestClock(milliseconds: 0).wall)
        let count = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await store.redeem("n", until: 10) } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(count == 1)
    }

    @Test("a silent node is forgotten, and so are requests that nobody takes")
    func silentNodes() async throws {
        let clock = TestClock(milliseconds: 1_000_000)
        let nodes = MemoryNodes(clock: clock.wall)
        let (one, two) = (nodes.makeRegistry(), nodes.makeRegistry())
        func put(_ nodeRegistry: MemoryNodeRegistry) async throws {
            try await nodeRegistry.put(
                NodeStatus(instance: nodeRegistry.instance, name: "n", role: "serve", version: "1", started: 1, date: 2)
            )
        }
        try await put(one)
        try await one.send(NodeRequest(id: "1", .drain), to: two.instance)
        try await one.reply(NodeReply(request: "1", instance: one.instance))
        clock.milliseconds += 4_999
        try await put(two)
        #expect(try await one.replies(to: "1").count == 1)
        clock.milliseconds += 1
        #expect(try await two.requests().isEmpty)
        #expect(try await one.replies(to: "1").isEmpty)
        #expect(try await one.nodes().count == 2)
        clock.milliseconds += 2_000
        #expect(try await one.nodes().map(\.instance) == [two.instance])
    }
}
