import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ParleyRedisTestSupport
import ParleyTestContracts
import ParleyTestServers

/// A Redis with running nodes, until `stop`.
final class RunningRedis: Sendable {
    let server: RedisServer
    let nodes: [RedisNode]
    let store = NaiveStore()
    private let running: Task<Void, Never>

    private init(_ server: RedisServer, nodes count: Int, _ change: (inout RedisSettings) -> Void) async throws {
        self.server = server
        var settings = RedisSettings(addresses: [try RedisAddress(server.url)])
        settings.log.storeDelay = .milliseconds(10)
        change(&settings)
        var nodes: [RedisNode] = []
        for _ in 0..<count { nodes.append(try await RedisNode.start(settings, history: store)) }
        self.nodes = nodes
        running = Task { [nodes] in
            await withTaskGroup(of: Void.self) { group in
                for node in nodes { group.addTask { await node.log.run() } }
            }
        }
    }

    /// - Parameter change: changes the default settings of the nodes, such as the address of Redis.
    static func start(
        nodes: Int = 1, _ options: RedisServer.Options = .init(), _ change: (inout RedisSettings) -> Void = { _ in }
    ) async throws -> RunningRedis {
        try await RunningRedis(RedisServer.start(options), nodes: nodes, change)
    }

    func stop() async {
        running.cancel()
        await running.value
        for node in nodes { await node.stop() }
    }
}
