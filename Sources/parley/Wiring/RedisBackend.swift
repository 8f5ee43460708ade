import Logging
import Metrics
import NIOCore
import ParleyModel
import ParleyRedis
import ServiceLifecycle

/// Log and bus on Redis, shared by all nodes.
struct RedisBackend: LogBackend {
    private let hosts: RedisHosts
    private let redisLog: RedisLog
    private let redisBus: RedisBus
    let stream: any IngestStream
    private let marks: RedisReadMarks
    private let names: RedisGuestNames
    private let board: RedisPresence
    private let logger: Logger
    let tickets: any TicketLedger
    let rates: any RateLedger
    let traces: any TraceLedger
    let nodes: any NodeBoard
    let isShared = true

    /// How long a start waits for Redis.
    private static let patience = Duration.seconds(30)
    /// How long `/readyz` waits for it.
    private static let checkLimit = Duration.seconds(1)

    init(
        _ settings: RedisSettings, store: any MessageStore, loops: [any EventLoop], clock: WallClock, logger: Logger,
        metrics: any MetricsFactory
    ) {
        hosts = RedisHosts(settings, eventLoops: loops, logger: logger, metrics: metrics)
        redisLog = RedisLog(hosts: hosts, history: store, logger: logger)
        redisBus = RedisBus(hosts: hosts, eventLoop: loops[0], clock: clock, logger: logger, metrics: metrics)
        stream = RedisIngest(hosts: hosts)
        marks = RedisReadMarks(hosts: hosts, metrics: metrics)
        tickets = RedisTicketLedger(hosts: hosts, clock: clock)
        rates = RedisRateLedger(hosts: hosts)
        traces = RedisTraceLedger(hosts: hosts)
        board = RedisPresence(hosts: hosts)
        nodes = RedisNodeBoard(hosts: hosts)
        names = RedisGuestNames(hosts: hosts, logger: logger)
        self.logger = logger
    }

    var log: any MessageLog { redisLog }
    var bus: any ThreadBus { redisBus }
    var readMarks: any ReadMarks { marks }
    var guestNames: any GuestNames { names }
    var presence: any PresenceBoard { board }
    var services: [any Service] {
        [
            BackendService { await redisLog.run() }, BackendService { await names.run() },
            BackendService { await board.run() },
        ]
    }

    func start(subscribes: Bool) async throws {
        hosts.start()
        try await hosts.waitUntilReady(within: Self.patience)
        guard subscribes else { return }
        let channels = hosts.settings.channels
        // The other layer of channels_redis fails without a word, and most tutorials set that one.
        logger.notice(
            "Django is reached only through this channel layer, with this prefix and serializer; see docs/django.md",
            metadata: [
                "backend": "channels_redis.pubsub.RedisPubSubChannelLayer", "prefix": "\(channels.prefix)",
                "serializer_format": "\(channels.serializer.rawValue)", "hosts": "\(hosts.settings.addresses.count)",
                "symmetric_encryption_keys": "\(channels.symmetricEncryptionKeys.count)",
            ])
        redisBus.start()
        try await redisBus.waitUntilReady(within: Self.patience)
    }

    func troubles() async -> [String] {
        do {
            try await hosts.check(within: Self.checkLimit)
            return []
        } catch {
            return ["redis: \(error)"]
        }
    }

    func stop() async {
        await marks.flush()
        await board.leave()
        await redisBus.stop()
        await hosts.stop()
    }
}
