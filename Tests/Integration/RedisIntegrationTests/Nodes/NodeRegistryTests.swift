import ParleyModel
import ParleyRedis
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("The node registry in Redis", .timeLimit(.minutes(5)))
struct NodeRegistryTests {
    @Test("the contract of node registries is satisfied", .serialized, arguments: NodeRegistryFact.allCases, [1, 3])
    func contract(_ fact: NodeRegistryFact, hosts: Int) async throws {
        let cluster = try await RedisCluster.start(hosts: hosts, nodes: 2)
        try await fact.check(cluster.nodes.map { RedisNodeRegistry(hosts: $0.hosts) })
        await cluster.stop()
    }

    @Test("a silent node is forgotten entirely; its requests and replies expire too")
    func silence() async throws {
        let fixture = try await RunningRedis.start(nodes: 2)
        let silent = RedisNodeRegistry(hosts: fixture.nodes[0].hosts, life: .milliseconds(1500))
        let nodeRegistry = RedisNodeRegistry(hosts: fixture.nodes[1].hosts)
        let areBothSeen = try await eventually {
            // Repeated, since on a busy machine the entry may expire before it is read.
            try await silent.put(status(silent, "silent"))
            try await nodeRegistry.put(status(nodeRegistry, "lively"))
            return try await nodeRegistry.nodes().map(\.name) == ["lively", "silent"]
        }
        #expect(areBothSeen)
        #expect(try await eventually { try await nodeRegistry.nodes().map(\.name) == ["lively"] })
        // The next status of any node clears the list.
        try await nodeRegistry.put(status(nodeRegistry, "lively"))
        #expect(try await fixture.server.cli("ZCARD", "parley:nodes") == "1")
        #expect(try await fixture.server.cli("EXISTS", "parley:node:\(silent.instance):status") == "0")
        try await nodeRegistry.send(NodeRequest(id: "q", .drain), to: silent.instance)
        try await nodeRegistry.reply(NodeReply(request: "q", instance: nodeRegistry.instance))
        for key in ["parley:node:\(silent.instance):requests", "parley:replies:q"] {
            let left = Int(try await fixture.server.cli("PTTL", key)) ?? 0
            #expect(left > 3000 && left <= 5000, "\(key) \(left)")
        }
        await fixture.stop()
    }

    @Test("unreadable values of another version are skipped")
    func otherVersions() async throws {
        let fixture = try await RunningRedis.start()
        let nodeRegistry = RedisNodeRegistry(hosts: fixture.nodes[0].hosts)
        try await nodeRegistry.put(status(nodeRegistry, "new"))
        try await fixture.server.cli("SET", "parley:node:other:status", "{\"node\":1}")
        try await fixture.server.cli("ZADD", "parley:nodes", "99999999999999", "other")
        #expect(try await nodeRegistry.nodes().map(\.name) == ["new"])
        for text in ["no JSON", "{\"id\":\"1\",\"kind\":\"dance\"}", "{\"id\":\"2\",\"kind\":\"drain\"}"] {
            try await fixture.server.cli("RPUSH", "parley:node:\(nodeRegistry.instance):requests", text)
        }
        #expect(try await nodeRegistry.requests() == [NodeRequest(id: "2", .drain)])
        await fixture.stop()
    }

    @Test("the registry is unavailable while Redis is")
    func away() async throws {
        let fixture = try await RunningRedis.start()
        try await fixture.server.kill()
        let nodeRegistry = RedisNodeRegistry(hosts: fixture.nodes[0].hosts)
        await #expect(throws: SharedStoreError.self) { try await nodeRegistry.nodes() }
        await #expect(throws: SharedStoreError.self) { try await nodeRegistry.put(status(nodeRegistry, "a")) }
        await nodeRegistry.leave()
        await fixture.stop()
    }

    private func status(_ nodeRegistry: RedisNodeRegistry, _ name: String) -> NodeStatus {
        NodeStatus(instance: nodeRegistry.instance, name: name, role: "gateway", version: "1", started: 1, date: 2)
    }
}
