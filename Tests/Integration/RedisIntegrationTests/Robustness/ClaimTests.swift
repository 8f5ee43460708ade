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

@Suite("A clientID is one send across several hosts", .timeLimit(.minutes(5)))
struct ClaimTests {
    /// Running nodes on several hosts.
    private struct Fixture {
        let servers: [RedisServer]
        let nodes: [RedisNode]
        let store = NaiveStore()
        let running: Task<Void, Never>

        init(hosts: Int = 3) async throws {
            var servers: [RedisServer] = []
            for _ in 0..<hosts { servers.append(try await RedisServer.start()) }
            self.servers = servers
            var settings = RedisSettings(addresses: try servers.map { try RedisAddress($0.url) })
            settings.link.silence = .milliseconds(600)
            settings.link.backoff = Backoff(cap: .milliseconds(100))
            var nodes: [RedisNode] = []
            for _ in 0..<2 { nodes.append(try await RedisNode.start(settings, history: store)) }
            self.nodes = nodes
            running = Task { [nodes] in
                await withTaskGroup(of: Void.self) { group in
                    for node in nodes { group.addTask { await node.log.run() } }
                }
            }
        }

        /// A thread on each host.
        var threads: [ThreadID] {
            let all = (0..<100).map { Samples.thread("thread-\($0)") }
            return (0..<servers.count).compactMap { host in
                all.first { nodes[0].hosts.layout.host(of: $0) == host }
            }
        }

        /// A new name whose claims are on a given host.
        func name(on host: Int, sender: String = "ann", _ make: () -> String) -> (sender: String, name: String) {
            for number in 0... {
                let (sender, name) = ("\(sender)\(number)", make())
                let key = nodes[0].hosts.layout.names.claim(UserID(trusted: sender), name)
                if nodes[0].hosts.layout.ring.host(of: key) == host { return (sender, name) }
            }
            return (sender, make())
        }

        func stop() async {
            running.cancel()
            await running.value
            for node in nodes { await node.stop() }
        }
    }

    private static let forms: [@Sendable () -> String] = [
        { Samples.uuidv7(at: WallClock.system.milliseconds) }, { Samples.ulid(at: WallClock.system.milliseconds) },
        { "random-\(UInt64.random(in: 0 ... .max))" },
    ]

    @Test("of concurrent sends on several hosts, one is accepted", arguments: 0..<3)
    func atOnce(_ form: Int) async throws {
        let fixture = try await Fixture()
        let threads = fixture.threads
        #expect(threads.count == 3)
        for thread in threads { _ = try await fixture.nodes[0].log.append(Samples.send("first", in: thread)) }
        for round in 0..<10 {
            let name = Self.forms[form]()
            let replies = Recorder<Result<Receipt, AppendError>>()
            for (index, thread) in threads.enumerated() {
                let node = fixture.nodes[(index + round) % 2]
                node.log.append(Samples.send("hi", in: thread, clientID: name)) { replies.record($0) }
            }
            let all = try await replies.wait(count: 3)
            #expect(all.filter { (try? $0.get())?.isRepeat == false }.count == 1)
            #expect(all.filter { $0 == .failure(.conflict) }.count == 2)
        }
        await fixture.stop()
    }

    @Test("while a name's host is unavailable, the store is queried and sends proceed", arguments: 0..<3)
    func away(_ form: Int) async throws {
        let fixture = try await Fixture()
        let threads = fixture.threads
        for thread in threads { _ = try await fixture.nodes[0].log.append(Samples.send("first", in: thread)) }
        let (sender, name) = fixture.name(on: 2, Self.forms[form])
        let (other, old) = fixture.name(on: 2, sender: "bob", Self.forms[form])
        fixture.store.seed([Samples.event("old", in: Samples.thread("attic"), seq: 1, by: other, clientID: old)])
        try await fixture.servers[2].stop()
        let log = fixture.nodes[0].log
        let first = try await log.append(Samples.send("hi", in: threads[0], by: sender, clientID: name))
        let again = try await fixture.nodes[1].log.append(
            Samples.send("hi", in: threads[0], by: sender, clientID: name))
        #expect(!first.isRepeat && again.isRepeat && again.position == first.position)
        await #expect(throws: AppendError.conflict) {
            try await log.append(Samples.send("ho", in: threads[0], by: sender, clientID: name))
        }
        // Stored sends are recognised, in whatever thread.
        await #expect(throws: AppendError.conflict) {
            try await log.append(Samples.send("old", in: threads[1], by: other, clientID: old))
        }
        // Threads of the host itself are unavailable.
        await #expect(throws: AppendError.self) {
            try await log.append(Samples.send("hi", in: threads[2], by: sender, clientID: "other"))
        }
        await fixture.stop()
    }

    @Test("a host that has lost its claims does not vouch for older names")
    func flushed() async throws {
        let fixture = try await Fixture()
        let threads = fixture.threads
        for thread in threads { _ = try await fixture.nodes[0].log.append(Samples.send("first", in: thread)) }
        let (sender, name) = fixture.name(on: 2, Self.forms[0])
        let first = try await fixture.nodes[0].log.append(
            Samples.send("hi", in: threads[0], by: sender, clientID: name))
        fixture.store.seed(try await fixture.nodes[0].log.events(in: threads[0], after: 0, limit: 10).events)
        try await fixture.servers[2].cli("FLUSHALL")
        await #expect(throws: AppendError.conflict) {
            try await fixture.nodes[1].log.append(Samples.send("hi", in: threads[1], by: sender, clientID: name))
        }
        let again = try await fixture.nodes[1].log.append(
            Samples.send("hi", in: threads[0], by: sender, clientID: name))
        #expect(again.isRepeat && again.position == first.position)
        await fixture.stop()
    }

    @Test("a single host makes no claims")
    func oneHost() async throws {
        let fixture = try await Fixture(hosts: 1)
        _ = try await fixture.nodes[0].log.append(Samples.send("hi", in: Samples.thread("t"), clientID: "c"))
        #expect(try await fixture.nodes[0].redis("KEYS", "*claim*").elements == [])
        await fixture.stop()
    }
}
