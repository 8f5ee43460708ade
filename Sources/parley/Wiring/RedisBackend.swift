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
    let readMarks: any ReadMarks
    let tickets: any TicketLedger
    let guestNames: any GuestNames

    /// How long a start waits for Redis.
    private static let patience = Duration.seconds(30)

    init(
        _ settings: RedisSettings, store: any MessageStore, loops: [any EventLoop], clock: WallClock, logger: Logger,
        metrics: any MetricsFactory
    ) {
        hosts = RedisHosts(settings, eventLoops: loops, logger: logger)
        redisLog = RedisLog(hosts: hosts, history: store, logger: logger)
        redisBus = RedisBus(hosts: hosts, eventLoop: loops[0], clock: clock, logger: logger, metrics: metrics)
        stream = RedisIngest(hosts: hosts)
        readMarks = RedisReadMarks(hosts: hosts)
        tickets = RedisTicketLedger(hosts: hosts, clock: clock)
        guestNames = RedisGuestNames(hosts: hosts)
    }

    var log: any MessageLog { redisLog }
    var bus: any ThreadBus { redisBus }
    var services: [any Service] { [LogService { await redisLog.run() }] }

    func start(subscribes: Bool) async throws {
        hosts.start()
        try await hosts.waitUntilReady(within: Self.patience)
        guard subscribes else { return }
        redisBus.start()
        try await redisBus.waitUntilReady(within: Self.patience)
    }

    func troubles() async -> [String] {
        do {
            try await hosts.check()
            return []
        } catch {
            return ["redis: \(error)"]
        }
    }

    func stop() async {
        await redisBus.stop()
        await hosts.stop()
    }
}
