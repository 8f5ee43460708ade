package import CoreMetrics
package import ParleyChannels
package import ParleyModel
package import ParleyRedis
import ParleyRedisClient
package import ParleyTestContracts
package import ParleyTestServers
import Synchronization
import Testing

/// Nodes on temporary Redis servers, or on their models, for the contract tests.
package final class RedisFixture: LogFixture {
    package let store = NaiveStore()
    package let settings: RedisSettings
    /// Empty if they are models.
    package let servers: [RedisServer]
    private let transport: any RedisTransport
    private let first: RedisNode
    private let nodeCount = Atomic(0)
    private let nodes = AsyncStream.makeStream(of: RedisNode.self)

    private init(
        _ settings: RedisSettings, _ servers: [RedisServer], _ transport: any RedisTransport
    ) async throws {
        self.settings = settings
        self.servers = servers
        self.transport = transport
        var own = settings
        own.channels.core?.node = "first"
        first = try await RedisNode.start(own, history: store, transport: transport)
        nodes.continuation.yield(first)
    }

    package static func start(
        _ shape: Shape = Shape(), _ options: RedisServer.Options = .init(),
        _ change: (inout RedisSettings) -> Void = { _ in }
    ) async throws -> RedisFixture {
        var servers: [RedisServer] = []
        for _ in 0..<shape.hosts { servers.append(try await RedisServer.start(options)) }
        let settings = try settings(shape, servers.map { try RedisAddress($0.url) }, change)
        return try await RedisFixture(settings, servers, SocketTransport())
    }

    /// Starts nodes on models.
    package static func startOnModel(
        _ shape: Shape = Shape(), _ change: (inout RedisSettings) -> Void = { _ in }
    ) async throws -> (fixture: RedisFixture, models: ModelHosts) {
        let settings = settings(shape, ModelHosts.addresses(shape.hosts), change)
        let models = ModelHosts(settings)
        return (try await RedisFixture(settings, [], models), models)
    }

    private static func settings(
        _ shape: Shape, _ addresses: [RedisAddress], _ change: (inout RedisSettings) -> Void
    ) -> RedisSettings {
        var settings = RedisSettings(addresses: addresses)
        settings.channels.serializer = shape.serializer
        settings.channels.prefix = shape.prefix
        settings.channels.symmetricEncryptionKeys = shape.keys
        if shape.isCore { settings.channels.core = QueueLayerSettings() }
        settings.log.windowEvents = 50
        settings.log.storeDelay = .milliseconds(10)
        change(&settings)
        return settings
    }

    package var ingest: any IngestStream { first.ingest }
    package var sends: any SendMemory { first.log }
    package var clock: TestClock? { nil }
    package var keepsStoredEpoch: Bool { false }
    package var claimsNames: Bool { settings.addresses.count > 1 }
    package var windowEvents: Int { settings.log.windowEvents }

    /// The node that reads the ingest stream.
    package var node: RedisNode { first }

    package func makeNode() async throws -> LogNode {
        try await start(named: "node-\(nodeCount.wrappingAdd(1, ordering: .relaxed).newValue)").logNode
    }

    /// Adds a node.
    /// - Parameter name: for the core layer, where it must be unique.
    package func start(named name: String, metrics: any MetricsFactory = NOOPMetricsHandler.instance) async throws
        -> RedisNode
    {
        var own = settings
        own.channels.core?.node = name
        let node = try await RedisNode.start(own, history: store, transport: transport, metrics: metrics)
        nodes.continuation.yield(node)
        return node
    }

    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for await node in nodes.stream {
                group.addTask {
                    await node.run()
                    await node.stop()
                }
            }
        }
    }

    /// Publishes to a channel of a thread's group as Django would.
    package func publish(_ payload: [UInt8], on channel: String) async throws {
        var command = RESPCommand(count: 3)
        command.append("PUBLISH")
        command.append(channel)
        command.append(payload)
        _ = try await first.hosts.commands[first.hosts.layout.ring.host(of: channel)].send(command)
    }

    package func injectUnreadable(_ bytes: [UInt8], into partition: Partition) async throws {
        let (host, number) = first.hosts.layout.place(of: partition)
        var command = RESPCommand(count: 5)
        command.append("XADD")
        command.append(first.hosts.layout.names.ingest(number))
        command.append("*")
        command.append("e")
        command.append(bytes)
        _ = try await first.hosts.commands[host].send(command)
    }
}

/// A configuration of the adapters.
package struct Shape: Hashable, Sendable, CustomTestStringConvertible {
    package var hosts = 1
    package var serializer = ChannelsSettings.Serializer.msgpack
    package var prefix = "asgi"
    package var keys: [String] = []
    /// With the core layer of Django.
    package var isCore = false

    package static let plain = [
        Shape(), Shape(serializer: .json), Shape(keys: ["new key", "old key"]), Shape(serializer: .json, keys: ["key"]),
    ]
    package static let many = [Shape(hosts: 3, prefix: "other")]
    package static let core = [
        Shape(isCore: true), Shape(serializer: .json, prefix: "other", isCore: true),
        Shape(hosts: 3, keys: ["new key", "old key"], isCore: true),
    ]

    package init(
        hosts: Int = 1, serializer: ChannelsSettings.Serializer = .msgpack, prefix: String = "asgi",
        keys: [String] = [], isCore: Bool = false
    ) {
        self.hosts = hosts
        self.serializer = serializer
        self.prefix = prefix
        self.keys = keys
        self.isCore = isCore
    }

    package var testDescription: String {
        "\(hosts) hosts, \(serializer), \(prefix), \(keys.count) keys\(isCore ? ", core" : "")"
    }
}
