import ParleyConcurrency
import ParleyModel
import ParleyRedis
import ParleyTestSupport
import Synchronization

/// Presence registries on temporary Redis servers, with short leases.
final class RedisPresenceFixture: PresenceFixture {
    struct Node: Sendable {
        let redis: RedisNode
        let presence: RedisPresence
        let running: Task<Void, Never>
    }

    let servers: [RedisServer]
    private let settings: RedisSettings
    let presence: RedisPresenceSettings
    private let nodes = Mutex<[Node]>([])

    init(hosts: Int, lease: Duration = .milliseconds(900)) async throws {
        var servers: [RedisServer] = []
        for _ in 0..<hosts { servers.append(try await RedisServer.start(.init(keepsData: true))) }
        self.servers = servers
        var settings = RedisSettings(addresses: try servers.map { try RedisAddress($0.url) })
        settings.link.backoff = Backoff(cap: .milliseconds(100))
        self.settings = settings
        var presence = RedisPresenceSettings()
        presence.lease = lease
        presence.renewal = lease / 3
        self.presence = presence
    }

    func start() async throws -> Node {
        let redis = try await RedisNode.start(settings, history: NaiveStore())
        let presenceRegistry = RedisPresence(hosts: redis.hosts, settings: presence)
        let node = Node(redis: redis, presence: presenceRegistry, running: Task { await presenceRegistry.run() })
        nodes.withLock { $0.append(node) }
        return node
    }

    func makeNode() async throws -> PresenceNode {
        let node = try await start()
        return PresenceNode(presenceRegistry: node.presence, bus: node.redis.bus) {
            node.running.cancel()
            await node.running.value
            await node.redis.stop()
        }
    }

    func stop() async {
        for node in nodes.withLock({ $0 }) {
            node.running.cancel()
            await node.running.value
            await node.redis.stop()
        }
    }
}
