import NIOCore
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("The presence registry in Redis", .timeLimit(.minutes(2)))
struct RedisPresenceTests {
    @Test(
        "the contract of presence registries is satisfied", .serialized, arguments: PresenceRegistryFact.allCases,
        [1, 3])
    func contract(_ fact: PresenceRegistryFact, hosts: Int) async throws {
        try await fact.check(RedisPresenceFixture(hosts: hosts))
    }

    private func isOnline(_ presenceRegistry: RedisPresence, _ user: UserID) async throws -> Bool? {
        try? await presenceRegistry.states(of: [user]).first?.isOnline
    }

    @Test("a node writes all its users again after Redis was emptied")
    func emptied() async throws {
        let fixture = try await RedisPresenceFixture(hosts: 1)
        let (one, two) = (try await fixture.start(), try await fixture.start())
        let users = (0..<300).map { UserID(trusted: "u\($0)") }
        for user in users { one.presence.connected(user) }
        #expect(try await eventually { try await isOnline(two.presence, users[299]) == true })
        try await fixture.servers[0].cli("FLUSHALL")
        one.presence.disconnected(users[0])
        let isBack = try await eventually {
            let states = try await two.presence.states(of: users)
            return Set(states.filter(\.isOnline).map(\.user)) == Set(users.dropFirst())
        }
        #expect(isBack)
        await fixture.stop()
    }

    @Test("changes during an outage of Redis are written afterwards")
    func away() async throws {
        let fixture = try await RedisPresenceFixture(hosts: 1)
        let (one, two) = (try await fixture.start(), try await fixture.start())
        let (ann, bob) = (UserID(trusted: "ann"), UserID(trusted: "bob"))
        one.presence.connected(ann)
        #expect(try await eventually { try await isOnline(two.presence, ann) == true })
        try await fixture.servers[0].kill()
        one.presence.disconnected(ann)
        one.presence.connected(bob)
        await #expect(throws: SharedStoreError.self) { try await one.presence.states(of: [ann]) }
        // On the loop of the writes, after the one of these changes, which fails.
        try await one.redis.hosts.commands[0].eventLoop.scheduleTask(in: TimeAmount(fixture.presence.pause)) { () }
            .futureResult.get()
        try await fixture.servers[0].restart()
        #expect(try await eventually(within: .seconds(20)) { try await isOnline(two.presence, bob) == true })
        #expect(try await eventually { try await isOnline(two.presence, ann) == false })
        await fixture.stop()
    }

    @Test("users of a dead node were last seen with it, and its keys expire")
    func dead() async throws {
        let fixture = try await RedisPresenceFixture(hosts: 1)
        let (one, two) = (try await fixture.start(), try await fixture.start())
        let ann = UserID(trusted: "ann")
        one.presence.connected(ann)
        #expect(try await eventually { try await isOnline(two.presence, ann) == true })
        let before = WallClock.system.seconds
        one.running.cancel()
        await one.running.value
        #expect(try await eventually { try await isOnline(two.presence, ann) == false })
        let seen = try #require(try await two.presence.states(of: [ann])[0].lastSeen)
        #expect((before - 2...WallClock.system.seconds + 1).contains(seen))
        #expect(try await fixture.servers[0].cli("HKEYS", "parley:presence:u:ann") == "seen")
        #expect((Int(try await fixture.servers[0].cli("TTL", "parley:presence:u:ann")) ?? 0) > 600_000)
        // Its process was only suspended: it reports its users again.
        let again = Task { await one.presence.run() }
        #expect(try await eventually { try await isOnline(two.presence, ann) == true })
        #expect((Int(try await fixture.servers[0].cli("TTL", "parley:presence:u:ann")) ?? 0) > 600_000)
        again.cancel()
        await again.value
        await one.presence.leave()
        #expect(try await isOnline(two.presence, ann) == false)
        await fixture.stop()
    }

    @Test("the contract of rate stores is satisfied", .serialized, arguments: RateStoreFact.allCases, [1, 3])
    func rates(_ fact: RateStoreFact, hosts: Int) async throws {
        for isCompleting in [false, true] {
            let cluster = try await RedisCluster.start(hosts: hosts, nodes: 2)
            let stores = cluster.nodes.map { RedisRateStore(hosts: $0.hosts, timeout: .seconds(5)) }
            try await fact.check(isCompleting ? stores.map(CompletingRates.init) : stores)
            await cluster.stop()
        }
    }

    @Test("buckets and windows expire, and the store is unavailable while Redis is")
    func ratesGo() async throws {
        let redis = try await RunningRedis.start()
        let rates = RedisRateStore(hosts: redis.nodes[0].hosts, timeout: .seconds(5))
        let ann = RateKey.sends(UserID(trusted: "ann"))
        #expect(try await rates.take(2, of: ann, at: TokenRate(interval: 50_000, burst: 4)) == 0)
        #expect(try await rates.count(1, of: .loginAccount("ann"), within: 100)?.failures == 1)
        #expect(try await eventually { try await redis.server.cli("KEYS", "parley:rate:*").isEmpty })
        // A script that Redis has forgotten is loaded again.
        try await redis.server.cli("SCRIPT", "FLUSH")
        #expect(try await CompletingRates(rates).take(1, of: ann, at: TokenRate(interval: 1, burst: 1)) == 0)
        try await redis.server.kill()
        for store in [rates, CompletingRates(rates)] as [any RateStore] {
            await #expect(throws: SharedStoreError.self) {
                try await store.take(1, of: ann, at: TokenRate(interval: 1, burst: 1))
            }
        }
        await #expect(throws: SharedStoreError.self) { try await rates.count(1, of: ann, within: 100) }
        await redis.stop()
    }
}
