import CoreMetrics
import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleyRedis
import ParleyRedisClient
import ParleySockets

/// The servers that a node is connected to, and its settings.
struct NodeEnvironment: Sendable {
    let name: String
    let role: SimulatedNode.Role
    let loops: [any EventLoop]
    let database: any CompleteStore
    let locks: any PartitionLocks
    let transport: any RedisTransport
    let redis: RedisSettings
    let accounts: AccountSettings
    let limits: Limits
    let startPolling: PollerWake.Start
    /// The endpoint of a back end; `nil` without webhooks.
    let endpoint: SimulatedEndpoint?
    let logger: Logger
}

/// The parts of a node that use Redis.
private struct NodeRedis: Sendable {
    let hosts: RedisHosts
    let log: RedisLog
    let bus: RedisBus
    let marks: RedisReadMarks
    let presence: RedisPresence
    let guestNames: RedisGuestNames

    private static let timeout = Duration.seconds(30)

    init(_ node: NodeEnvironment, clock: WallClock) {
        hosts = RedisHosts(node.redis, eventLoops: node.loops, transport: node.transport, logger: node.logger)
        log = RedisLog(hosts: hosts, history: node.database, logger: node.logger)
        bus = RedisBus(
            hosts: hosts, eventLoop: node.loops[0], clock: clock, logger: node.logger, metrics: NodeParts.metrics)
        marks = RedisReadMarks(hosts: hosts, metrics: NodeParts.metrics)
        presence = RedisPresence(hosts: hosts)
        guestNames = RedisGuestNames(hosts: hosts, logger: node.logger)
    }

    func start(subscribes: Bool) async throws {
        hosts.start()
        try await hosts.waitUntilAnyIsReady(within: Self.timeout, others: .seconds(5))
        guard subscribes else { return }
        bus.start()
        try await bus.waitUntilAnyIsReady(within: Self.timeout, others: .seconds(5))
    }
}

/// The parts of a node, wired as in the program (`Sources/Program/parley/Wiring`), without HTTP.
struct NodeParts: Sendable {
    let messaging: Messaging
    let accounts: AccountServices
    /// `nil` for a persister.
    let gateway: Gateway?
    /// The services that run beside the sockets until the process ends.
    let services: [@Sendable () async -> Void]

    fileprivate static let metrics: any MetricsFactory = NOOPMetricsHandler.instance

    /// Connects and wires a node, and opens it for sockets.
    init(_ node: NodeEnvironment) async throws {
        let (database, logger) = (node.database, node.logger)
        let databaseClock = DatabaseClock()
        let clock = databaseClock.wall
        try await databaseClock.compare { () throws(StoreError) in try await database.databaseMilliseconds() }
        let redis = NodeRedis(node, clock: clock)
        try await redis.start(subscribes: node.role == .gateway)

        let work = WorkPool()
        let directory = BatchedDirectory(database, settings: node.accounts.directory, clock: clock)
        let rates = RedisRateStore(hosts: redis.hosts)
        accounts = try await AccountServices(
            settings: node.accounts, accounts: database, directory: directory,
            ticketStore: RedisTicketStore(hosts: redis.hosts, clock: clock), rates: rates, clock: clock,
            logger: logger)
        let relay = OutboxRelay(outbox: database, history: database, log: redis.log, clock: clock, logger: logger)
        let budgets = Budgets(
            BudgetSettings(
                limits: node.limits, rates: rates,
                uptime: { Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000) },
                submit: { work.submit($0) }))
        messaging = Messaging(
            MessagingPorts(
                log: redis.log, bus: redis.bus, store: database, state: database, accounts: database,
                directory: directory, readMarks: redis.marks, attachments: database),
            budgets: budgets, relay: relay, hash: accounts.login.hash, clock: clock, logger: logger)

        let clocks = ClockWatch(databaseClock, database: database, peers: [], record: { _, _ in }, logger: logger)
        let shared: [@Sendable () async -> Void] = [
            { await work.run() }, { await redis.log.run() }, { await redis.presence.run() },
            { await redis.guestNames.run() }, { await clocks.run() },
        ]
        switch node.role {
        case .persister:
            gateway = nil
            services = shared + Self.persisting(node, redis, relay, clock)
        case .gateway:
            let (gateway, presence) = Self.gateway(node, redis, messaging, accounts, work, clock)
            self.gateway = gateway
            try await gateway.start()
            services = shared + [{ await gateway.changes.run() }, { await presence.run() }]
        }
    }

    /// The services that move events from the log to the database.
    private static func persisting(
        _ node: NodeEnvironment, _ redis: NodeRedis, _ relay: OutboxRelay, _ clock: WallClock
    ) -> [@Sendable () async -> Void] {
        let persister = Persister(
            stream: RedisIngest(hosts: redis.hosts), store: node.database, log: redis.log, locks: node.locks,
            logger: node.logger, metrics: metrics, clock: clock)
        let relays = OutboxRelayService(relay: relay, logger: node.logger, metrics: metrics, clock: clock)
        let cleanups = CleanupService(cleanups: node.database, sends: redis.log, logger: node.logger)
        let services: [@Sendable () async -> Void] = [
            { try? await persister.run() }, { try? await relays.run() }, { try? await cleanups.run() },
        ]
        guard let endpoint = node.endpoint else { return services }
        var times = WebhookSender.Times()
        times.poll = .milliseconds(500)
        let webhooks = WebhookService(
            WebhookSender(
                store: node.database, requests: endpoint, encode: SimulatedEndpoint.encode,
                policy: WebhookPolicy(longestPause: .seconds(20)), times: times, clock: clock, logger: node.logger,
                metrics: WebhookMetrics(factory: metrics)))
        return services + [{ try? await webhooks.run() }]
    }

    private static func gateway(
        _ node: NodeEnvironment, _ redis: NodeRedis, _ messaging: Messaging, _ accounts: AccountServices,
        _ work: WorkPool, _ clock: WallClock
    ) -> (Gateway, PresenceWatch) {
        let (database, logger) = (node.database, node.logger)
        let presence = PresenceWatch(
            loop: node.loops[0], presenceRegistry: redis.presence, bus: redis.bus, work: work
        ) { try await database.peers(among: $0) }
        let fanOut = FanOut(
            loops: node.loops, bus: redis.bus, log: redis.log, work: work,
            metrics: FanOutMetrics(factory: metrics, clock: clock),
            noteSent: { messaging.slowMode.delivered($1, in: $0) })
        var settings = GatewaySettings(node: node.name)
        settings.limits = node.limits
        settings.headCheck = .seconds(30)
        let gateway = Gateway(
            settings: settings,
            delivery: DeliveryServices(
                fanOut, presence, feed: database, isAlive: { try await accounts.sessions.isAlive($0, of: $1) },
                isKey: { try await messaging.isAPIKey($0) }, profiles: { try await database.profiles(of: $0) },
                logger: logger),
            messaging: messaging, accounts: accounts, guestNames: redis.guestNames, work: work, clock: clock,
            telemetry: GatewayTelemetry(logger: logger, metrics: GatewayMetrics(factory: metrics)),
            startPolling: node.startPolling)
        return (gateway, presence)
    }
}
