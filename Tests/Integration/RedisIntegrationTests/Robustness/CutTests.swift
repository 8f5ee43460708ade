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

@Suite("A node recovers from failures of its Redis", .timeLimit(.minutes(5)))
struct CutTests {
    private let thread = Samples.thread("room")

    /// A subscriber and a writer.
    private func start(_ options: RedisServer.Options = .init()) async throws -> RunningRedis {
        try await RunningRedis.start(nodes: 2, options) { $0.link.backoff = Backoff(cap: .milliseconds(100)) }
    }

    /// Appends until it is accepted, as clients do that retry under the same name.
    private func insist(_ text: String, _ node: RedisNode) async throws -> Receipt {
        let draft = Samples.send(text, in: thread, clientID: text)
        let receipts = Recorder<Receipt>()
        let isAccepted = try await eventually {
            guard let receipt = try? await node.log.append(draft) else { return false }
            receipts.record(receipt)
            return true
        }
        #expect(isAccepted)
        return try #require(receipts.elements.first)
    }

    @Test("forgotten scripts are loaded again, and appends keep their order")
    func forgottenScripts() async throws {
        let redis = try await start()
        let node = redis.nodes[0]
        _ = try await node.log.append(Samples.send("0", in: thread))
        for round in 1...3 {
            let replies = Recorder<(Int, Result<Receipt, AppendError>)>()
            try await redis.server.cli("SCRIPT", "FLUSH")
            for number in 0..<200 {
                node.log.append(Samples.send("\(round) \(number)", in: thread)) { replies.record((number, $0)) }
            }
            var seqs = [Int64](repeating: 0, count: 200)
            for (number, reply) in try await replies.wait(count: 200) {
                seqs[number] = try reply.get().position.seq
            }
            let first = Int64(2 + (round - 1) * 200)
            #expect(seqs == Array(first..<first + 200))
        }
        try await redis.server.cli("SCRIPT", "FLUSH")
        #expect(try await node.log.events(in: thread, after: 600, limit: 10).events.count == 1)
        try await redis.server.cli("SCRIPT", "FLUSH")
        let partition = node.ingest.partitions[node.hosts.layout.names.partition(of: thread)]
        #expect(try await node.ingest.read(partition, after: nil, limit: 1000).entries.count == 601)
        await redis.stop()
    }

    @Test("a lost subscription is restored, and the receiver is notified")
    func cutSubscription() async throws {
        let redis = try await start()
        let (reader, writer) = (redis.nodes[0], redis.nodes[1])
        let received = reader.record()
        try await reader.bus.subscribe(to: [.thread(thread), .user(UserID(trusted: "ann"))])
        let first = try await insist("one", writer)
        try await received.wait(count: 1)
        for round in 1...3 {
            try await redis.server.cli("CLIENT", "KILL", "TYPE", "pubsub")
            try await received.wait("the sign of a new subscription") {
                $0.filter { $0 == .resubscribed }.count == round
            }
        }
        let second = try await insist("two", writer)
        writer.bus.publish(.removed(thread), to: UserID(trusted: "ann"))
        let signals = try await received.wait("what was published after it") {
            $0.contains(.control(.removed(thread), UserID(trusted: "ann")))
        }
        #expect(signals.compactMap { $0.event?.position } == [first.position, second.position])
        await redis.stop()
    }

    @Test("commands on a lost connection fail, and later ones succeed")
    func cutCommands() async throws {
        let redis = try await start()
        let node = redis.nodes[0]
        let accepted = Recorder<Int64>()
        let replies = Recorder<Bool>()
        for round in 0..<20 {
            for number in 0..<100 {
                let draft = Samples.send("\(round) \(number)", in: thread, clientID: "\(round) \(number)")
                node.log.append(draft) { result in
                    if case .success(let receipt) = result { accepted.record(receipt.position.seq) }
                    replies.record(true)
                }
            }
            if round % 4 == 2 { try await redis.server.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") }
        }
        try await replies.wait(count: 2000)
        _ = try await insist("last", node)
        // All accepted events are in the log once, in order; refused ones may be too.
        #expect(accepted.elements == accepted.elements.sorted())
        #expect(Set(accepted.elements).count == accepted.elements.count)
        let partition = node.ingest.partitions[node.hosts.layout.names.partition(of: thread)]
        let stored = try await node.ingest.read(partition, after: nil, limit: 3000).events
        #expect(stored.map(\.position.seq) == Array(1...Int64(stored.count)))
        #expect(Set(stored.map { $0.message?.clientID }).count == stored.count)
        #expect(Set(accepted.elements).isSubset(of: Set(stored.map(\.position.seq))))
        await redis.stop()
    }

    @Test("a Redis that is killed and restarted continues")
    func restart() async throws {
        let redis = try await start(.init(keepsData: true))
        let (reader, writer) = (redis.nodes[0], redis.nodes[1])
        let received = reader.record()
        try await reader.bus.subscribe(to: [.thread(thread)])
        var positions: [Position] = []
        for round in 0..<3 {
            for number in 0..<5 { positions.append(try await insist("\(round) \(number)", writer).position) }
            try await redis.server.restart()
            try await received.wait("the sign of a new subscription") {
                $0.filter { $0 == .resubscribed }.count == round + 1
            }
        }
        positions.append(try await insist("last", writer).position)
        #expect(positions == (1...16).map { Position(epoch: positions[0].epoch, seq: $0) })
        // Events published while nobody was subscribed are in the log.
        try await reader.hosts.waitUntilReady(within: .patience)
        let slice = try await reader.log.events(in: thread, after: 0, limit: 100)
        #expect(slice.events.map(\.position) == positions)
        #expect(slice.epoch == positions[0].epoch)
        await redis.stop()
    }

    @Test("the ingest stream is read from its start after a restart of Redis")
    func incarnation() async throws {
        let redis = try await start(.init(keepsData: true))
        let node = redis.nodes[0]
        for number in 0..<5 { _ = try await insist("\(number)", node) }
        let partition = node.ingest.partitions[node.hosts.layout.names.partition(of: thread)]
        let before = try await node.ingest.read(partition, after: nil, limit: 100)
        try await redis.server.restart()
        #expect(try await eventually { await node.hosts.problems(within: .seconds(1)).isEmpty })
        // A report for the previous process has no effect on this one.
        await node.ingest.stored(before, outcomes: before.outcomes)
        #expect(try await node.ingest.backlog(of: partition) == 5)
        let after = try await node.ingest.read(partition, after: before.checkpoint, limit: 100)
        #expect(after.entries == before.entries)
        #expect(after.incarnation != before.incarnation)
        // Nor has it together with one for this process.
        let names = node.hosts.layout.names
        let other = try #require(
            (0...).lazy.map { Samples.thread("other\($0)") }.first {
                names.partition(of: $0) != names.partition(of: thread)
            })
        _ = try await node.log.append(Samples.send("hi", in: other))
        let second = try await node.ingest.read(
            node.ingest.partitions[names.partition(of: other)], after: nil, limit: 100)
        let reports = [before, second].map { StoredBatch($0, $0.outcomes) }
        #expect(await node.ingest.stored(reports) == [nil, 0])
        #expect(try await node.ingest.backlog(of: partition) == 5)
        await node.ingest.stored(after, outcomes: after.outcomes)
        #expect(try await node.ingest.backlog(of: partition) == 0)
        await redis.stop()
    }

    @Test("a Redis that hangs is detected")
    func halfOpen() async throws {
        let redis = try await RunningRedis.start(nodes: 2, .init(keepsData: true)) {
            $0.link.silence = .milliseconds(600)
            $0.link.backoff = Backoff(cap: .milliseconds(100))
        }
        let (reader, writer) = (redis.nodes[0], redis.nodes[1])
        let received = reader.record()
        try await reader.bus.subscribe(to: [.thread(thread)])
        _ = try await insist("one", writer)
        let start = ContinuousClock.now
        redis.server.pause()
        await #expect(throws: AppendError.self) { try await writer.log.append(Samples.send("two", in: thread)) }
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(await writer.hosts.problems(within: .milliseconds(100)).count == 1)
        #expect(try await eventually { reader.bus.reach == .none })
        redis.server.resume()
        try await received.wait("the sign of a new subscription") { $0.contains(.resubscribed) }
        let receipt = try await insist("three", writer)
        try await received.wait("the event") { $0.contains { $0.event?.position == receipt.position } }
        await redis.stop()
    }

    @Test("a subscriber that receives nothing is detected, though its connection replies")
    func deafSubscriber() async throws {
        let fake = try await FakeRedis.start { _ in nil }
        var settings = RedisSettings(addresses: [RedisAddress(.tcp(host: "127.0.0.1", port: fake.port))])
        settings.link.heartbeat = .milliseconds(20)
        settings.link.backoff = Backoff(cap: .milliseconds(10))
        let node = try await RedisNode.start(settings, history: NaiveStore())
        let received = node.record()
        #expect(try await eventually { (try? await node.bus.subscribe(to: [.thread(thread)])) != nil })
        try await received.wait("new subscriptions") { $0.filter { $0 == .resubscribed }.count >= 3 }
        #expect(fake.connections >= 5)
        await node.stop()
        try await fake.stop()
    }

    @Test("a subscriber without deliveries is detected by heartbeats")
    func deafConnection() async throws {
        let server = try await RedisServer.start()
        let proxy = try await TCPProxy.start(to: server.port)
        var settings = RedisSettings(addresses: [RedisAddress(.tcp(host: "127.0.0.1", port: proxy.port))])
        settings.link.heartbeat = .milliseconds(250)
        // Silence alone would not be noticed within this test.
        settings.link.silence = .seconds(50)
        settings.link.backoff = Backoff(cap: .milliseconds(50))
        let reader = try await RedisNode.start(settings, history: NaiveStore())
        let writer = try await RedisNode.start(
            RedisSettings(addresses: [try RedisAddress(server.url)]), history: NaiveStore())
        let running = Task { await writer.log.run() }
        let received = reader.record()
        #expect(try await eventually { (try? await reader.bus.subscribe(to: [.thread(thread)])) != nil })
        let first = try await insist("one", writer)
        try await received.wait("the first") { $0.contains { $0.event?.position == first.position } }
        for round in 1...2 {
            #expect(proxy.swallowReplies(toWhoSaid: "SUBSCRIBE") == 1)
            let start = ContinuousClock.now
            let lost = try await insist("lost \(round)", writer)
            try await received.wait("a new subscription") { $0.filter { $0 == .resubscribed }.count == round }
            // Four heartbeats, and a margin for a busy machine.
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(!received.elements.contains { $0.event?.position == lost.position })
            let heard = try await insist("heard \(round)", writer)
            try await received.wait("what came later") { $0.contains { $0.event?.position == heard.position } }
        }
        running.cancel()
        await running.value
        await reader.stop()
        await writer.stop()
        proxy.become(.cut)
    }

    @Test("a server that does not speak RESP, or turns read-only, is given up")
    func otherLanguages() async throws {
        let fake = try await FakeRedis.start { words in
            switch words.first {
            case "GET": "HTTP/1.1 400 Bad Request\r\n\r\n"
            case "SET": "-READONLY You can't write against a read only replica.\r\n"
            case "XLEN": "$99999999999\r\n"
            default: nil
            }
        }
        var settings = RedisSettings(addresses: [RedisAddress(.tcp(host: "127.0.0.1", port: fake.port))])
        settings.link.backoff = Backoff(cap: .milliseconds(10))
        let node = try await RedisNode.start(settings, history: NaiveStore())
        let errors: [String: RedisError] = ["GET": .lost, "SET": .refused("READONLY"), "XLEN": .lost]
        for (name, expected) in errors {
            try await node.hosts.waitUntilReady(within: .patience)
            let connections = fake.connections
            do throws(RedisError) {
                _ = try await node.hosts.commands[0].send(RESPCommand(name, "x"))
                Issue.record("\(name) was answered")
            } catch {
                if case .refused(let text) = error {
                    #expect(text.hasPrefix("READONLY"))
                } else {
                    #expect(error == expected)
                }
            }
            #expect(try await eventually { fake.connections > connections })
        }
        await node.stop()
        try await fake.stop()
    }

    @Test("a Redis without its data begins a new epoch above what is stored")
    func flushed() async throws {
        let fixture = try await RedisFixture.start()
        let thread = thread
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            var last: Receipt?
            for number in 1...5 {
                last = try await node.log.append(Samples.send("\(number)", in: thread, clientID: "\(number)"))
            }
            try #require(
                try await eventually { try await fixture.store.head(of: thread)?.position.seq == 5 }, "all is stored")
            try await fixture.servers[0].cli("FLUSHALL")
            let replies = Recorder<(Int, Result<Receipt, AppendError>)>()
            // The store recognises its events, in whatever order they are sent.
            for number in [6, 3, 7, 5, 8] {
                node.log.append(Samples.send("\(number)", in: thread, clientID: "\(number)")) {
                    replies.record((number, $0))
                }
            }
            for (number, reply) in try await replies.wait(count: 5) {
                let receipt = try reply.get()
                try #require(receipt.isRepeat == (number <= 5), "whether \(number) is a repeat")
                try #require(receipt.position.seq == Int64(number), "seq of \(number)")
                try #require((receipt.position.epoch == last?.position.epoch) == (number <= 5), "epoch of \(number)")
            }
        }
    }

    @Test("a Redis without the newest events begins a new epoch above the seen positions")
    func rolledBack() async throws {
        let redis = try await start()
        let (one, two) = (redis.nodes[0], redis.nodes[1])
        let received = one.record()
        try await one.bus.subscribe(to: [.thread(thread)])
        var old: Receipt?
        for number in 1...8 { old = try await insist("\(number)", two) }
        try await received.wait(count: 8)
        // Like a replica that has not received the last three.
        let key = one.hosts.layout.names.head(of: thread)
        let epoch = try #require(old?.position.epoch)
        let head = PackedHead(seq: 5, messageCount: 5, milliseconds: 1_700_000_000_000, epoch: epoch)
        var set = RESPCommand(count: 3)
        set.append("SET")
        set.append(key)
        set.append(head.bytes)
        _ = try await one.hosts.commands[0].send(set)
        let replies = Recorder<(Int, Result<Receipt, AppendError>)>()
        for number in 0..<10 {
            // The first node has appended nothing yet; it has seen them on the bus.
            one.log.append(Samples.send("new \(number)", in: thread)) { replies.record((number, $0)) }
        }
        var positions = [Position?](repeating: nil, count: 10)
        for (number, reply) in try await replies.wait(count: 10) {
            positions[number] = try reply.get().position
        }
        let newEpoch = try #require(positions[0]?.epoch)
        #expect(newEpoch != epoch)
        #expect(positions == (9...18).map { Position(epoch: newEpoch, seq: $0) })
        #expect(try await insist("last", two).position == Position(epoch: newEpoch, seq: 19))
        let slice = try await two.log.events(in: thread, after: 8, limit: 100)
        #expect(slice.events.map(\.position.seq) == Array(9...19))
        #expect(!slice.isTruncated)
        await redis.stop()
    }

    @Test("while one of several hosts is down, threads of the others continue")
    func oneOfThree() async throws {
        let fixture = try await RedisFixture.start(Shape(hosts: 3))
        try await fixture.whileRunning(storing: true) {
            let node = try await fixture.makeNode()
            let threads = (0..<60).map { Samples.thread("t\($0)") }
            let layout = RedisLayout(names: ChannelNames(), ring: HostRing(count: 3))
            try await fixture.servers[1].kill()
            for thread in threads {
                let isAway = layout.host(of: thread) == 1
                do throws(AppendError) {
                    _ = try await node.log.append(Samples.send("hi", in: thread))
                    guard !isAway else { throw .unavailable("was accepted") }
                } catch {
                    try #require(isAway && error != .unavailable("was accepted"), "\(thread): \(error)")
                }
            }
            try #require(Set(threads.map { layout.host(of: $0) }) == [0, 1, 2], "all hosts have threads")
        }
    }
}
