import CoreMetrics
import ParleyModel
import ParleyRedis
import ParleyTestSupport
import Synchronization
import Testing

/// Nodes on temporary Redis servers, for the contract tests.
final class RedisFixture: LogFixture {
    let store = NaiveStore()
    let settings: RedisSettings
    let servers: [RedisServer]
    private let first: RedisNode
    private let nodeCount = Atomic(0)
    private let nodes = AsyncStream.makeStream(of: RedisNode.self)

    private init(_ settings: RedisSettings, _ servers: [RedisServer]) async throws {
        self.settings = settings
        self.servers = servers
        var own = settings
        own.channels.core?.node = "first"
        first = try await RedisNode.start(own, history: store)
        nodes.continuation.yield(first)
    }

    static func start(
        _ shape: Shape = Shape(), _ options: RedisServer.Options = .init(),
        _ change: (inout RedisSettings) -> Void = { _ in }
    ) async throws -> RedisFixture {
        var servers: [RedisServer] = []
        for _ in 0..<shape.hosts { servers.append(try await RedisServer.start(options)) }
        var settings = RedisSettings(addresses: try servers.map { try RedisAddress($0.url) })
        settings.channels.serializer = shape.serializer
        settings.channels.prefix = shape.prefix
        settings.channels.symmetricEncryptionKeys = shape.keys
        if shape.isCore { settings.channels.core = QueueLayerSettings() }
        settings.log.windowEvents = 50
        settings.log.storeDelay = .milliseconds(10)
        change(&settings)
        return try await RedisFixture(settings, servers)
    }

    var ingest: any IngestStream { first.ingest }
    var sends: any SendMemory { first.log }
    var clock: TestClock? { nil }
    var keepsStoredEpoch: Bool { false }
    var claimsNames: Bool { servers.count > 1 }
    var windowEvents: Int { settings.log.windowEvents }

    /// The node that reads the ingest stream.
    var node: RedisNode { first }

    func makeNode() async throws -> LogNode {
        try await start(named: "node-\(nodeCount.wrappingAdd(1, ordering: .relaxed).newValue)").logNode
    }

    /// Adds a node.
    /// - Parameter name: for the core layer, where it must be unique.
    func start(named name: String, metrics: any MetricsFactory = NOOPMetricsHandler.instance) async throws -> RedisNode
    {
        var own = settings
        own.channels.core?.node = name
        let node = try await RedisNode.start(own, history: store, metrics: metrics)
        nodes.continuation.yield(node)
        return node
    }

    func run() async {
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
    func publish(_ payload: [UInt8], on channel: String) async throws {
        var command = RESPCommand(count: 3)
        command.append("PUBLISH")
        command.append(channel)
        command.append(payload)
        _ = try await first.hosts.commands[first.hosts.layout.ring.host(of: channel)].send(command)
    }

    func injectUnreadable(_ bytes: [UInt8], into partition: Partition) async throws {
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
struct Shape: Hashable, Sendable, CustomTestStringConvertible {
    var hosts = 1
    var serializer = ChannelsSettings.Serializer.msgpack
    var prefix = "asgi"
    var keys: [String] = []
    /// With the core layer of Django.
    var isCore = false

    static let plain = [
        Shape(), Shape(serializer: .json), Shape(keys: ["new key", "old key"]), Shape(serializer: .json, keys: ["key"]),
    ]
    static let many = [Shape(hosts: 3, prefix: "other")]
    static let core = [
        Shape(isCore: true), Shape(serializer: .json, prefix: "other", isCore: true),
        Shape(hosts: 3, keys: ["new key", "old key"], isCore: true),
    ]

    var testDescription: String {
        "\(hosts) hosts, \(serializer), \(prefix), \(keys.count) keys\(isCore ? ", core" : "")"
    }
}
