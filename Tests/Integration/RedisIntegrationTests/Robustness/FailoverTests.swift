import ParleyChannels
import ParleyConcurrency
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Sentinels lead to the current master", .timeLimit(.minutes(2)))
struct FailoverTests {
    private struct Group {
        let master: RedisServer
        let replica: RedisServer
        let sentinel: RedisSentinel
    }

    private func start(_ password: String?) async throws -> Group {
        let quick = ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"]
        let master = try await RedisServer.start(.init(password: password, arguments: quick))
        let replica = try await RedisServer.start(.init(password: password, master: master, arguments: quick))
        let isInStep = try await eventually(within: .seconds(20)) {
            try await master.cli("INFO", "replication").contains("state=online")
        }
        #expect(isInStep)
        let sentinel = try await RedisSentinel.start("mymaster", master: master, password: password)
        return Group(master: master, replica: replica, sentinel: sentinel)
    }

    private func settings(_ group: Group, _ login: String = "") throws -> RedisSettings {
        // The first sentinel does not exist: the next is queried.
        let url = "redis+sentinel://\(login)127.0.0.1:1,127.0.0.1:\(group.sentinel.port)/mymaster"
        var settings = RedisSettings(addresses: [try RedisAddress(url)])
        settings.link.silence = .milliseconds(1500)
        settings.link.backoff = Backoff(cap: .milliseconds(200))
        return settings
    }

    /// Sends numbers until the task is cancelled, each until it is accepted, as clients with an outbox do.
    private func send(_ node: RedisNode, _ thread: ThreadID, _ accepted: Recorder<Receipt>) async {
        var number = 0
        while !Task.isCancelled {
            if let receipt = try? await node.log.append(Samples.send("\(number)", in: thread, clientID: "\(number)")) {
                accepted.record(receipt)
                number += 1
            } else {
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test("a dead or silent master is replaced by its replica", arguments: [nil, "secret"], [true, false])
    func failover(_ password: String?, _ dies: Bool) async throws {
        let group = try await start(password)
        let store = NaiveStore()
        let settings = try settings(group, password.map { "default:\($0)@" } ?? "")
        let writer = try await RedisNode.start(settings, history: store)
        let reader = try await RedisNode.start(settings, history: store)
        let received = reader.record()
        let thread = Samples.thread("room")
        try await reader.bus.subscribe(to: [.thread(thread)])
        let accepted = Recorder<Receipt>()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await writer.log.run() }
            tasks.addTask { await send(writer, thread, accepted) }
            try await accepted.wait(count: 50)
            if dies { try await group.master.kill() } else { group.master.pause() }
            try await received.wait(within: .seconds(30), "a new subscription") { $0.contains(.resubscribed) }
            let count = accepted.elements.count
            try await accepted.wait(count: count + 50, within: .seconds(30))
            tasks.cancelAll()
        }
        #expect(try await group.replica.cli("ROLE").hasPrefix("master"))
        // No position was assigned twice, though the replica may not have had the last ones.
        let positions = accepted.elements.filter { !$0.isRepeat }.map(\.position)
        #expect(Set(positions).count == positions.count)
        try await reader.hosts.waitUntilReady(within: .seconds(20))
        let head = try #require(try await reader.log.head(of: thread))
        #expect(head.position.seq >= positions.map(\.seq).max() ?? 0)
        group.master.resume()
        await writer.stop()
        await reader.stop()
    }

    @Test("one of two replicas is promoted by two of three sentinels, and keeps its data")
    func quorum() async throws {
        let quick = ["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"]
        let master = try await RedisServer.start(.init(arguments: quick))
        var replicas: [RedisServer] = []
        for _ in 0..<2 { replicas.append(try await RedisServer.start(.init(master: master, arguments: quick))) }
        let areInStep = try await eventually(within: .seconds(20)) {
            try await master.cli("INFO", "replication").ranges(of: "state=online").count == 2
        }
        #expect(areInStep)
        var sentinels: [RedisSentinel] = []
        for _ in 0..<3 { sentinels.append(try await RedisSentinel.start("mymaster", master: master, quorum: 2)) }
        let knowEachOther = try await eventually(within: .seconds(20)) {
            for sentinel in sentinels {
                let reply = try? await sentinel.cli("SENTINEL", "CKQUORUM", "mymaster")
                guard reply?.contains("OK 3 usable") == true else { return false }
            }
            return true
        }
        #expect(knowEachOther)
        let ports = sentinels.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        var settings = RedisSettings(addresses: [try RedisAddress("redis+sentinel://\(ports)/mymaster")])
        settings.link.silence = .milliseconds(1500)
        settings.link.backoff = Backoff(cap: .milliseconds(200))
        let node = try await RedisNode.start(settings, history: NaiveStore())
        let thread = Samples.thread("room")
        let accepted = Recorder<Receipt>()
        var kept: [Receipt] = []
        var pause = Duration.zero
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await node.log.run() }
            tasks.addTask { await send(node, thread, accepted) }
            kept = try await accepted.wait(count: 100)
            // What is acknowledged to the sender is on both replicas from here on; what comes later may not be.
            let offset = try #require(Self.offset("master_repl_offset:", try await master.cli("INFO", "replication")))
            for replica in replicas {
                let hasIt = try await eventually {
                    Self.offset("slave_repl_offset:", try await replica.cli("INFO", "replication")) ?? 0 >= offset
                }
                #expect(hasIt)
            }
            let start = ContinuousClock.now
            try await master.kill()
            let count = accepted.elements.count
            // The reply to one of them may have been in flight.
            try await accepted.wait(count: count + 2, within: .seconds(30))
            pause = ContinuousClock.now - start
            try await accepted.wait(count: count + 50, within: .seconds(30))
            tasks.cancelAll()
        }
        #expect(pause < .seconds(15), "appends went on after \(pause)")
        let positions = accepted.elements.filter { !$0.isRepeat }.map(\.position)
        #expect(Set(positions).count == positions.count)
        // The new master has everything that the replicas had, in its position.
        let partition = node.ingest.partitions[node.hosts.layout.names.partition(of: thread)]
        var missing = Dictionary(kept.map { ($0.messageID, $0.position) }) { first, _ in first }
        var checkpoint: IngestCheckpoint?
        for _ in 0..<100 where !missing.isEmpty {
            let batch = try await node.ingest.read(partition, after: checkpoint, limit: 1000)
            for event in batch.events {
                guard let position = missing.removeValue(forKey: event.message?.id) else { continue }
                #expect(position == event.position)
            }
            checkpoint = batch.checkpoint
        }
        #expect(missing.isEmpty, "\(missing.count) of \(kept.count) are lost")
        await node.stop()
    }

    /// The number after a name in the reply to `INFO`.
    private static func offset(_ name: String, _ text: String) -> Int? {
        text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
            .flatMap { Int($0.dropFirst(name.count)) }
    }

    @Test("a master that is demoted is given up")
    func demotion() async throws {
        let group = try await start(nil)
        let node = try await RedisNode.start(try settings(group), history: NaiveStore())
        let running = Task { await node.log.run() }
        let thread = Samples.thread("room")
        _ = try await node.log.append(Samples.send("one", in: thread))
        // Only once the sentinel considers the replica usable.
        #expect(try await eventually { (try? await group.sentinel.cli("SENTINEL", "FAILOVER", "mymaster")) != nil })
        let key = node.hosts.layout.names.head(of: thread)
        // For a moment there are two masters, so events accepted by the old one may be lost; but not for long.
        let isThere = try await eventually(within: .seconds(30)) {
            guard (try? await group.replica.cli("ROLE"))?.hasPrefix("master") == true,
                let receipt = try? await node.log.append(Samples.send("more", in: thread))
            else { return false }
            let seq = "return struct.unpack('>I8', redis.call('GET', KEYS[1]))"
            let stored = try? await group.replica.cli("EVAL", seq, "1", key)
            return stored == "\(receipt.position.seq)"
        }
        #expect(isThere)
        running.cancel()
        await running.value
        await node.stop()
    }

    @Test("sentinels that are unreachable or do not know the master are named")
    func unknownMaster() async throws {
        let group = try await start(nil)
        for url in [
            "redis+sentinel://127.0.0.1:\(group.sentinel.port)/other", "redis+sentinel://127.0.0.1:1/mymaster",
        ] {
            let node = RedisNode.make(RedisSettings(addresses: [try RedisAddress(url)]), history: NaiveStore())
            let isNamed = try await eventually {
                let problems = await node.hosts.problems(within: .seconds(1))
                return problems.contains { $0.contains("sentinel 127.0.0.1:") }
            }
            #expect(isNamed)
            await node.stop()
        }
    }
}
