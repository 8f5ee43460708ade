import ParleyConcurrency
import ParleyModel
package import ParleyRedis
import ParleyRedisClient
package import ParleyTestContracts
package import ParleyTestServers
import Synchronization

/// Presence registries on temporary Redis servers, or on their models, with short leases.
package final class RedisPresenceFixture: PresenceFixture {
    package struct Node: Sendable {
        package let redis: RedisNode
        package let presence: RedisPresence
        package let running: Task<Void, Never>
    }

    /// Empty if they are models.
    package let servers: [RedisServer]
    private let settings: RedisSettings
    private let transport: any RedisTransport
    package let presence: RedisPresenceSettings
    private let nodes = Mutex<[Node]>([])

    package convenience init(hosts: Int, lease: Duration = .milliseconds(900)) async throws {
        var servers: [RedisServer] = []
        for _ in 0..<hosts { servers.append(try await RedisServer.start(.init(keepsData: true))) }
        let settings = RedisSettings(addresses: try servers.map { try RedisAddress($0.url) })
        self.init(settings, servers, SocketTransport(), lease: lease)
    }

    /// On models.
    package convenience init(models hosts: Int, lease: Duration = .milliseconds(900)) {
        let settings = RedisSettings(addresses: ModelHosts.addresses(hosts))
        self.init(settings, [], ModelHosts(settings), lease: lease)
    }

    private init(
        _ settings: RedisSettings, _ servers: [RedisServer], _ transport: any RedisTransport, lease: Duration
    ) {
        self.servers = servers
        self.transport = transport
        var settings = settings
        settings.link.backoff = Backoff(cap: .milliseconds(100))
        self.settings = settings
        var presence = RedisPresenceSettings()
        presence.lease = lease
        presence.renewal = lease / 3
        self.presence = presence
    }

    package func start() async throws -> Node {
        let redis = try await RedisNode.start(settings, history: NaiveStore(), transport: transport)
        let presenceRegistry = RedisPresence(hosts: redis.hosts, settings: presence)
        let node = Node(redis: redis, presence: presenceRegistry, running: Task { await presenceRegistry.run() })
        nodes.withLock { $0.append(node) }
        return node
    }

    package func makeNode() async throws -> PresenceNode {
        let node = try await start()
        return PresenceNode(presenceRegistry: node.presence, bus: node.redis.bus) {
            node.running.cancel()
            await node.running.value
            await node.redis.stop()
        }
    }

    package func stop() async {
        for node in nodes.withLock({ $0 }) {
            node.running.cancel()
            await node.running.value
            await node.redis.stop()
        }
    }
}
