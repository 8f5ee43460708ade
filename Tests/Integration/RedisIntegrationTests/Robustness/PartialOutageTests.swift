import ParleyModel
import ParleyRedis
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("One of two Redis hosts is away", .timeLimit(.minutes(3)))
struct PartialOutageTests {
    /// A thread on each host.
    private func threadOnEachHost(_ node: RedisNode) throws -> [ThreadID] {
        try (0..<2).map { host in
            try #require(
                (0...99).lazy.map { Samples.thread("room\($0)") }.first { node.hosts.layout.host(of: $0) == host })
        }
    }

    @Test("its topics are subscribed when it is back, those of the other at once")
    func subscriptions() async throws {
        let redis = try await RedisCluster.start(hosts: 2, nodes: 2)
        let (reader, writer) = (redis.nodes[0], redis.nodes[1])
        let received = reader.record()
        let threads = try threadOnEachHost(reader)
        try await redis.servers[1].kill()
        #expect(try await eventually { redis.nodes.allSatisfy { $0.bus.reach == .some } })
        #expect(reader.bus.isReceiving(threads[0]))
        // The subscriber connection may be lost later than that for commands.
        #expect(try await eventually { !reader.bus.isReceiving(threads[1]) })

        let responses = Recorder<Result<Void, BusError>>()
        reader.bus.subscribe(to: threads.map { .thread($0) }) { responses.record($0) }
        let first = try await responses.wait(count: 1)[0]
        guard case .failure(.away(let away)) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(away == [.thread(threads[1])])
        writer.bus.publish(.guestJoined("one"), in: threads[0])
        try await received.wait("event") { $0.contains(.ephemeral(.guestJoined("one"), threads[0])) }

        try await redis.servers[1].restart()
        try await received.wait("the sign of the new subscription") { $0.contains(.resubscribed) }
        #expect(try await eventually { redis.nodes.allSatisfy { $0.bus.reach == .all } })
        writer.bus.publish(.guestJoined("two"), in: threads[1])
        try await received.wait("event") { $0.contains(.ephemeral(.guestJoined("two"), threads[1])) }
        await redis.stop()
    }

    @Test("shared stores of the other host answer, and those of the stopped one say soon that they do not")
    func sharedStores() async throws {
        let redis = try await RedisCluster.start(hosts: 2, nodes: 1)
        let hosts = redis.nodes[0].hosts
        let (tickets, rates, presence) = (
            RedisTicketStore(hosts: hosts), RedisRateStore(hosts: hosts), RedisPresence(hosts: hosts)
        )
        redis.servers[1].pause()
        let start = ContinuousClock.now
        var (redeemed, refused) = (0, 0)
        // The ring gives t0 to t7 to one host and t8 to the other; so it does with u0 to u8.
        for number in 0..<9 {
            do throws(SharedStoreError) {
                let isFirst = try await tickets.redeem("t\(number)", until: WallClock.system.milliseconds + 30_000)
                redeemed += isFirst ? 1 : 0
            } catch {
                refused += 1
            }
        }
        #expect(redeemed > 0 && refused > 0)
        var answers: [Result<Int64, SharedStoreError>] = []
        for number in 0..<9 {
            let rate = TokenRate(interval: 1000, burst: 10)
            answers.append(
                await withCheckedContinuation { reply in
                    rates.take(1, of: .loginAccount("u\(number)"), at: rate) { reply.resume(returning: $0) }
                })
        }
        #expect(answers.contains(.success(0)) && answers.contains { if case .failure = $0 { true } else { false } })
        let users = (0..<16).map { UserID(trusted: "u\($0)") }
        let states = try await presence.states(of: users)
        #expect(states.count > 0 && states.count < users.count)
        #expect(ContinuousClock.now - start < .seconds(30))
        redis.servers[1].resume()
        await redis.stop()
    }
}
