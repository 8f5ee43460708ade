import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers

/// Several hosts with nodes, until `stop`.
struct RedisCluster {
    let servers: [RedisServer]
    let nodes: [RedisNode]

    static func start(hosts: Int, nodes count: Int) async throws -> RedisCluster {
        var servers: [RedisServer] = []
        for _ in 0..<hosts { servers.append(try await RedisServer.start()) }
        let settings = RedisSettings(addresses: try servers.map { try RedisAddress($0.url) })
        var nodes: [RedisNode] = []
        for _ in 0..<count { nodes.append(try await RedisNode.start(settings, history: NaiveStore())) }
        return RedisCluster(servers: servers, nodes: nodes)
    }

    func stop() async {
        for node in nodes { await node.stop() }
    }
}
