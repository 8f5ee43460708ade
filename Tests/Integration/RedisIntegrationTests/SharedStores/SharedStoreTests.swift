import CoreMetrics
import Logging
import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Shared stores in Redis", .timeLimit(.minutes(5)))
struct SharedStoreTests {
    private static let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    // MARK: Tickets

    @Test("a ticket is redeemed once across all nodes")
    func tickets() async throws {
        let fixture = try await RunningRedis.start(nodes: 2)
        let clock = TestClock(milliseconds: WallClock.system.milliseconds)
        let stores = fixture.nodes.map { RedisTicketStore(hosts: $0.hosts, clock: clock.wall) }
        let expiry = clock.milliseconds + 30_000
        #expect(try await stores[0].redeem("one", until: expiry))
        #expect(try await !stores[0].redeem("one", until: expiry))
        #expect(try await !stores[1].redeem("one", until: expiry))
        #expect(try await stores[1].redeem("two", until: expiry))
        #expect(try await !stores[0].redeem("late", until: clock.milliseconds))
        let left = Int(try await fixture.server.cli("PTTL", "parley:ticket:one")) ?? 0
        #expect(left > 20_000 && left <= 30_000)
        await fixture.stop()
    }

    @Test("while Redis is down no ticket is accepted and no name is granted")
    func away() async throws {
        let fixture = try await RunningRedis.start()
        try await fixture.server.kill()
        let store = RedisTicketStore(hosts: fixture.nodes[0].hosts)
        await #expect(throws: SharedStoreError.self) {
            try await store.redeem("one", until: WallClock.system.milliseconds + 30_000)
        }
        let names = RedisGuestNames(hosts: fixture.nodes[0].hosts, logger: Self.logger)
        #expect(await !names.claim("Zoë", for: ConnectionID(trusted: "a")))
        await fixture.stop()
    }

    // MARK: Names

    @Test("a guest's name belongs to one connection until that releases it")
    func names() async throws {
        let fixture = try await RunningRedis.start(nodes: 2)
        let names = fixture.nodes.map { RedisGuestNames(hosts: $0.hosts, logger: Self.logger) }
        let (ann, bob) = (ConnectionID(trusted: "ann"), ConnectionID(trusted: "bob"))
        #expect(await names[0].claim("Zoë", for: ann))
        #expect(await names[0].claim("Zoë", for: ann))
        #expect(await !names[0].claim("Zoë", for: bob))
        #expect(await !names[1].claim("Zoë", for: bob))
        await names[1].release("Zoë", by: bob)
        #expect(await !names[1].claim("Zoë", for: bob))
        await names[0].release("Zoë", by: ann)
        #expect(await names[1].claim("Zoë", for: bob))
        // Those that look like another's, on whichever node.
        #expect(await names[0].claim("modem", for: ann))
        #expect(await names[1].claim("modern", for: bob))
        for name in ["Modem", "mоdem", "MОDERN"] as [NameLook] {
            #expect(await !names[1].claim(name, for: ConnectionID(trusted: "cat")))
        }
        await names[0].release("modem", by: ann)
        await names[1].release("modern", by: bob)
        #expect(await names[1].claim("mоdem", for: bob))
        #expect(await !names[0].claim("modem", for: ann))
        #expect(await !names[0].claim("modern", for: ann))
        await fixture.stop()
    }

    @Test("the number of names per node is bounded")
    func limit() async throws {
        let fixture = try await RunningRedis.start()
        let names = RedisGuestNames(hosts: fixture.nodes[0].hosts, limit: 2, logger: Self.logger)
        let connection = ConnectionID(trusted: "c")
        var given: [Bool] = []
        for name in ["a", "b", "c"] as [NameLook] { given.append(await names.claim(name, for: connection)) }
        #expect(given == [true, true, false])
        await fixture.stop()
    }

    @Test("names are held while their node lives, and expire soon after")
    func renewal() async throws {
        let fixture = try await RunningRedis.start()
        let names = RedisGuestNames(hosts: fixture.nodes[0].hosts, lifetime: .seconds(3), logger: Self.logger)
        let key = fixture.nodes[0].hosts.layout.names.guest(NameLook.ofContract("Zoë").keys[0])
        let time = { @Sendable in Int(try await fixture.server.cli("PTTL", key)) ?? 0 }
        #expect(await names.claim("Zoë", for: ConnectionID(trusted: "ann")))
        let running = Task { await names.run() }
        var last = try await time()
        let isHeldLonger = try await eventually {
            let now = try await time()
            defer { last = now }
            return now > last
        }
        #expect(isHeldLonger)
        // A name that Redis has lost is claimed again.
        try await fixture.server.cli("FLUSHALL")
        #expect(try await eventually { try await fixture.server.cli("ZRANGE", key, "0", "-1").hasPrefix("ann") })
        running.cancel()
        await running.value
        #expect(1...3000 ~= (try await time()))
        await fixture.stop()
    }

    // MARK: Read marks

    @Test("marks of one interval are merged per user and thread, behind the read messages")
    func readMarks() async throws {
        let fixture = try await RunningRedis.start()
        let node = fixture.nodes[0]
        let marks = RedisReadMarks(hosts: node.hosts, metrics: NOOPMetricsHandler.instance)
        let thread = Samples.thread("read")
        let event = try await node.log.append(Samples.send("hi", in: thread))
        let (ann, bob) = (UserID(trusted: "ann"), UserID(trusted: "bob"))
        func mark(_ user: UserID, _ seq: Int64?) {
            marks.markRead(thread, by: user, through: seq, madeAt: 1234) { _ in }
        }
        for _ in 0..<100 { for user in [ann, bob] { mark(user, nil) } }
        let number = node.hosts.layout.names.partition(of: thread)
        let partition = node.hosts.layout.partition(host: 0, number: number)
        #expect(try await eventually { try await node.ingest.backlog(of: partition) == 3 })
        mark(ann, 1)
        await marks.flush()
        await marks.flush()
        let batch = try await node.ingest.read(partition, after: nil, limit: 10)
        try #require(batch.entries.count == 4)
        #expect(batch.events.map(\.position) == [event.position])
        let read = batch.entries.dropFirst().map(\.content)
        #expect(Set(read.dropLast()) == Set([ann, bob].map { .readMark(ReadMark(thread: thread, user: $0)) }))
        #expect(read.last == .readMark(ReadMark(thread: thread, user: ann, seq: 1, milliseconds: 1234)))
        await fixture.stop()
    }

    @Test("waiting marks are bounded")
    func markLimit() async throws {
        let fixture = try await RunningRedis.start()
        let node = fixture.nodes[0]
        let marks = RedisReadMarks(
            hosts: node.hosts, interval: .seconds(60), limit: 3, metrics: NOOPMetricsHandler.instance)
        let thread = Samples.thread("read")
        for number in 0..<10 {
            marks.markRead(thread, by: UserID(trusted: "u\(number)"), through: nil, madeAt: 0) { _ in }
        }
        await marks.flush()
        let number = node.hosts.layout.names.partition(of: thread)
        #expect(try await node.ingest.backlog(of: node.hosts.layout.partition(host: 0, number: number)) == 3)
        await fixture.stop()
    }

    @Test("a check reports unreachable hosts")
    func check() async throws {
        let servers = [try await RedisServer.start(), try await RedisServer.start()]
        let settings = RedisSettings(addresses: try servers.map { try RedisAddress($0.url) })
        let node = try await RedisNode.start(settings, history: NaiveStore())
        #expect(await node.hosts.problems(within: .patience).isEmpty)
        #expect(try await eventually { node.bus.reach == .all })
        servers[1].pause()
        let late = await node.hosts.problems(within: .milliseconds(50))
        #expect(late == ["\(settings.addresses[1].label): \(RedisError.late)"])
        servers[1].resume()
        #expect(await node.hosts.problems(within: .patience).isEmpty)
        try await servers[0].kill()
        #expect(try await eventually { await node.hosts.problems(within: .patience).count == 1 })
        #expect(try await eventually { node.bus.reach == .some })
        let threads = (0..<20).map { Samples.thread("t\($0)") }
        for thread in threads {
            #expect(node.bus.isReachable(thread) == (node.hosts.layout.host(of: thread) == 1))
        }
        try await servers[1].kill()
        #expect(try await eventually { node.bus.reach == .none })
        await node.stop()
    }
}
