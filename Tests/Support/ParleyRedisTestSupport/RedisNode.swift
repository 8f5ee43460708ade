package import CoreMetrics
import Logging
import NIOCore
import NIOPosix
package import ParleyDjangoQueues
package import ParleyModel
package import ParleyRedis
package import ParleyRedisClient
package import ParleyTestContracts
package import ParleyTestSupport

/// The adapters of one node.
package struct RedisNode: Sendable {
    package let hosts: RedisHosts
    package let log: RedisLog
    package let bus: RedisBus
    package let ingest: RedisIngest
    /// With the core layer of Django.
    package let layer: QueueLayer?

    package static func start(
        _ settings: RedisSettings, history: any LogHistory, transport: any RedisTransport = SocketTransport(),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) async throws -> RedisNode {
        let node = make(settings, history: history, transport: transport, metrics: metrics)
        try await node.hosts.waitUntilReady(within: .seconds(20))
        try await node.bus.waitUntilReady(within: .seconds(20))
        try await node.layer?.start()
        return node
    }

    /// Starts a node without waiting for Redis.
    package static func make(
        _ settings: RedisSettings, history: any LogHistory, transport: any RedisTransport = SocketTransport(),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) -> RedisNode {
        let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator().map { $0 as any EventLoop })
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let hosts = RedisHosts(
            settings, eventLoops: loops, transport: transport, logger: logger, metrics: metrics)
        let log = RedisLog(hosts: hosts, history: history, logger: logger)
        let bus = RedisBus(hosts: hosts, eventLoop: loops[0], logger: logger, metrics: metrics)
        let node = RedisNode(
            hosts: hosts, log: log, bus: bus, ingest: RedisIngest(hosts: hosts),
            layer: QueueLayer(
                hosts: hosts, bus: bus, log: log, eventLoop: loops[0], eventLoops: loops, logger: logger,
                metrics: metrics))
        hosts.start()
        node.bus.start()
        return node
    }

    /// Records the signals of the bus from now on; call it once.
    package func record() -> ParleyTestSupport.Recorder<BusSignal> {
        let received = ParleyTestSupport.Recorder<BusSignal>()
        bus.attach { received.record($0) }
        return received
    }

    /// Runs the services of the log until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            if let layer { group.addTask { await layer.run() } }
        }
    }

    /// The log and the bus, as the program uses them.
    package var logNode: LogNode { LogNode(log: layer?.log ?? log, bus: layer?.bus ?? bus) }

    package func stop() async {
        await layer?.stop()
        await bus.stop()
        await hosts.stop()
    }

    /// Sends a command to a host and returns its reply.
    @discardableResult
    package func redis(_ arguments: String..., host: Int = 0) async throws -> RESPValue {
        try await hosts.commands[host].send(RESPCommand(arguments))
    }
}
