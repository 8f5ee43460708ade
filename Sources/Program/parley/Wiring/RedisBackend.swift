import Logging
import Metrics
import NIOCore
import ParleyChannels
import ParleyDjangoQueues
import ParleyMessaging
import ParleyModel
import ParleyRedis
import ParleyRedisClient
import ServiceLifecycle

/// Log and bus on Redis, shared by all nodes.
struct RedisBackend: LogBackend {
    private let hosts: RedisHosts
    private let redisLog: RedisLog
    private let redisBus: RedisBus
    /// Set if Django uses its core layer.
    private let queueLayer: QueueLayer?
    let stream: any IngestStream
    private let marks: RedisReadMarks
    private let names: RedisGuestNames
    private let nodeRegistry: RedisPresence
    private let logger: Logger
    let tickets: any TicketStore
    let rates: any RateStore
    let traces: any TraceStore
    let nodes: any NodeRegistry
    let adoptedNames: (any AdoptedNames)?
    let isShared = true

    /// The time that the start waits for the first host of Redis; it waits less for the others.
    private static let timeout = Duration.seconds(30)
    private static let otherHostsTimeout = Duration.seconds(5)
    /// The time that `/readyz` waits for Redis.
    private static let checkLimit = Duration.seconds(1)

    init(
        _ settings: RedisSettings, store: any MessageStore, loops: [any EventLoop], clock: WallClock, logger: Logger,
        metrics: any MetricsFactory
    ) {
        hosts = RedisHosts(settings, eventLoops: loops, logger: logger, metrics: metrics)
        redisLog = RedisLog(hosts: hosts, history: store, logger: logger)
        redisBus = RedisBus(hosts: hosts, eventLoop: loops[0], clock: clock, logger: logger, metrics: metrics)
        queueLayer = QueueLayer(
            hosts: hosts, bus: redisBus, log: redisLog, eventLoop: loops[0], eventLoops: loops, clock: clock,
            logger: logger, metrics: metrics)
        stream = RedisIngest(hosts: hosts)
        marks = RedisReadMarks(hosts: hosts, metrics: metrics)
        tickets = RedisTicketStore(hosts: hosts, clock: clock)
        rates = RedisRateStore(hosts: hosts)
        traces = RedisTraceStore(hosts: hosts)
        nodeRegistry = RedisPresence(hosts: hosts)
        nodes = RedisNodeRegistry(hosts: hosts)
        names = RedisGuestNames(hosts: hosts, logger: logger)
        adoptedNames =
            settings.channels.adoptedTypes.isEmpty ? nil : RedisAdoptedNames(hosts: hosts, clock: clock)
        self.logger = logger
    }

    var log: any MessageLog { queueLayer?.log ?? redisLog }
    var sends: any SendMemory { redisLog }
    var bus: any ThreadBus { queueLayer?.bus ?? redisBus }
    var readMarks: any ReadMarks { marks }
    var guestNames: any GuestNames { names }
    var presence: any PresenceRegistry { nodeRegistry }
    var services: [any Service] {
        var services = [
            BackendService { await redisLog.run() }, BackendService { await names.run() },
            BackendService { await nodeRegistry.run() },
        ]
        if let queueLayer { services.insert(BackendService { await queueLayer.run() }, at: 0) }
        return services
    }

    func start(subscribes: Bool) async throws {
        hosts.start()
        try await hosts.waitUntilAnyIsReady(within: Self.timeout, others: Self.otherHostsTimeout)
        guard subscribes else { return }
        let channels = hosts.settings.channels
        // With the other layer of channels_redis, which most tutorials configure, events are lost without an error.
        logger.notice(
            "Django is reached only through this channel layer, with this prefix and serializer; see docs/django.md",
            metadata: [
                "backend": "\(ChannelLayerUse.backend(isCore: channels.core != nil))", "prefix": "\(channels.prefix)",
                "serializer_format": "\(channels.serializer.rawValue)", "hosts": "\(hosts.settings.addresses.count)",
                "symmetric_encryption_keys": "\(channels.symmetricEncryptionKeys.count)",
            ])
        redisBus.start()
        try await redisBus.waitUntilAnyIsReady(within: Self.timeout, others: Self.otherHostsTimeout)
        try await queueLayer?.start()
    }

    func problems() async -> [String] {
        await hosts.problems(within: Self.checkLimit).map { "redis: \($0)" }
    }

    var clocks: [ClockWatch.Peer] {
        hosts.settings.addresses.indices.map { host in
            ClockWatch.Peer(name: "redis \(hosts.settings.addresses[host].label)") { [hosts] in
                try? await hosts.milliseconds(of: host, within: Self.checkLimit)
            }
        }
    }

    func stop() async {
        await marks.flush()
        await nodeRegistry.leave()
        await queueLayer?.stop()
        await redisBus.stop()
        await hosts.stop()
    }
}
