import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyMetrics
import ParleyModel
import ParleyPersister
import ParleyREST
import ParleySockets
import ParleyStorage
import ServiceLifecycle

/// Makes the parts of a `Node` from their shared dependencies.
struct Parts {
    let settings: Settings
    /// The time of the database, by which all processes reckon ages.
    let clock: WallClock
    let databaseClock = DatabaseClock()
    let logger: Logger
    let registry: PrometheusRegistry
    let loops: any EventLoopGroup
    let tracer: Tracer

    init(_ settings: Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
        clock = databaseClock.wall
        registry = PrometheusRegistry(settings: MetricsCatalogue.settings)
        registry.onScrape { ProcessMetrics().read() }
        // Effective only before the first use of the singleton group.
        NIOSingletons.groupLoopCountSuggestion = settings.loops
        loops = MultiThreadedEventLoopGroup.singleton
        tracer = Tracer(
            node: settings.gateway.node, every: settings.traceEvery, microseconds: WallClock.systemMicroseconds)
    }

    /// The logger of libraries, whose info lines describe their own components and do not help operators.
    var libraryLogger: Logger {
        var libraryLogger = logger
        libraryLogger.logLevel = max(logger.logLevel, .notice)
        return libraryLogger
    }

    /// How many seconds a role waits at its start for an unavailable database. A gateway also waits for a persister or
    /// `parley migrate` to create the tables and the lobby.
    private static let timeout = 30
    /// The interval in which a gateway compares each thread with its log once.
    private static let headCheck = TimeAmount.seconds(30)

    /// Opens the database. Roles that write to it migrate its tables; the others wait for that.
    func openDatabase(for role: Role) async throws -> any Database {
        let database = try settings.database.open(
            clock: clock, logger: logger, metrics: registry,
            contentKey: ContentKey(secret: settings.accounts.secret.bytes))
        try await retryUntilReady { () throws(StoreError) in
            if role.stores { try await database.migrate() } else { try await database.check() }
            // Before anything is dated.
            try await databaseClock.compare { () throws(StoreError) in try await database.databaseMilliseconds() }
        }
        // Gateways look up the lobby and do not create it.
        if role == .persister {
            _ = try await lobby(database, for: role)
        }
        return database
    }

    /// Opens the database of the Django site whose sessions are accepted, if one is configured.
    ///
    /// The server may be unavailable or have no tables yet; only Django's users then cannot connect. A SQLite file must
    /// exist.
    func openDjango() async throws -> (any DjangoDirectory)? {
        guard let site = settings.django else { return nil }
        let directory = WatchedDjango(try site.open(logger: logger), metrics: registry)
        do {
            try await directory.check()
        } catch {
            logger.warning(
                "Django sessions cannot be read; until they can, requests with a Django cookie get 503",
                metadata: ["database": "\(site.database)", "reason": "\(error)"])
        }
        return directory
    }

    func makeBackend(store: any Database) -> any LogBackend {
        guard let redis = settings.redis else { return MemoryBackend(store: store, clock: clock, logger: logger) }
        return RedisBackend(
            redis, store: store, loops: Array(loops.makeIterator()), clock: clock, logger: logger, metrics: registry)
    }

    func makeGateway(_ adapters: Adapters, _ useCases: UseCases) async throws -> Gateway {
        let (backend, database) = (adapters.backend, adapters.database)
        let (accounts, messaging, work) = (useCases.accounts, useCases.messaging, useCases.work)
        let loops = Array(loops.makeIterator())
        let presence = PresenceWatch(loop: loops[0], presenceRegistry: backend.presence, bus: backend.bus, work: work) {
            try await database.peers(of: $0, among: $1)
        }
        let fanOut = FanOut(
            loops: loops, bus: adopting(backend, messaging), log: backend.log, work: work,
            metrics: FanOutMetrics(factory: registry, clock: clock), tracer: tracer)
        var gatewaySettings = settings.gateway
        OpenFiles.raise(for: &gatewaySettings, logger: logger)
        if settings.redis != nil { gatewaySettings.headCheck = Self.headCheck }
        let telemetry = GatewayTelemetry(
            logger: logger, metrics: GatewayMetrics(factory: registry), tracer: tracer)
        let fault = settings.plantedFault.map { PlantedFault($0, metrics: registry) }
        let gateway = Gateway(
            settings: gatewaySettings,
            delivery: DeliveryServices(
                fanOut, presence, feed: database, isAlive: { try await accounts.sessions.isAlive($0, of: $1) },
                isKey: { try await messaging.isAPIKey($0) }, logger: logger),
            messaging: messaging, accounts: accounts, guestNames: backend.guestNames, work: work, clock: clock,
            telemetry: telemetry,
            members: { fault?.decorate($0) ?? $0 })
        try await gateway.start()
        return gateway
    }

    /// The bus from which the fan-out receives; it has adopted events taken into the log.
    private func adopting(
        _ backend: any LogBackend, _ messaging: Messaging
    ) -> any ThreadBus {
        guard let names = backend.adoptedNames else { return backend.bus }
        let counters = AdoptionCounters(factory: registry)
        return AdoptingBus(
            backend.bus,
            Adopter(messaging, names: names, count: counters.count))
    }

    /// The budgets of users, for sockets and REST.
    func makeBudgets(
        _ adapters: Adapters, _ work: WorkPool, limitReached: @escaping @Sendable (ReachedLimit) -> Void
    ) -> Budgets {
        Budgets(
            BudgetSettings(
                limits: settings.gateway.limits, rates: adapters.backend.rates,
                uptime: { Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000) },
                submit: { work.submit($0) }, limitReached: limitReached))
    }

    /// Uploads and downloads, in the roles that serve them.
    func makeAttachments(
        _ adapters: Adapters, for role: Role, _ budgets: Budgets
    ) throws -> Attachments? {
        let (backend, database) = (adapters.backend, adapters.database)
        guard role.hasREST, let (rules, storage) = settings.attachments else { return nil }
        return Attachments(
            settings: rules, store: database, blobs: try storage.open(clock: clock),
            uses: UnstoredUses(store: database, messages: database, log: backend.log, sends: backend.sends),
            charge: { user throws(MessagingError) in try await budgets.charge(user) }, clock: clock, logger: logger)
    }

    func makeRelay(_ adapters: Adapters) -> OutboxRelay {
        OutboxRelay(
            outbox: adapters.database, history: adapters.database, log: adapters.backend.log, clock: clock,
            logger: logger)
    }

    func makeChanges(
        _ adapters: Adapters, _ accounts: AccountServices, _ directory: BatchedDirectory, _ relay: OutboxRelay,
        _ budgets: Budgets
    ) -> StateChanges {
        StateChanges(
            store: adapters.database, accounts: adapters.database, directory: directory, relay: relay,
            bus: adapters.backend.bus,
            hash: { password throws(AccountError) in try await accounts.login.hash(password) },
            charge: { user throws(MessagingError) in try await budgets.charge(user) }, clock: clock, logger: logger)
    }

    func makePersister(_ adapters: Adapters) -> any Service {
        let (backend, database) = (adapters.backend, adapters.database)
        let isAlone = settings.redis == nil
        let persister = Persister(
            stream: backend.stream, store: database, log: backend.log, logRedactsItself: isAlone,
            locks: isAlone ? AllPartitions() : settings.database.makeLocks(),
            settings: isAlone ? PersisterSettings() : settings.persister, logger: logger, metrics: registry,
            clock: clock, tracer: tracer)
        guard isAlone, let writer = database.writerExecutor else { return persister }
        // A message is delivered when it is committed, so each change of thread would delay it.
        return ServiceOnExecutor(service: persister, executor: writer)
    }

    /// The HTTP server of the application; with a gateway, HTTP and WebSocket share the port.
    func server(_ gateway: Gateway?, _ counts: ConnectionCounts) -> HTTPServerBuilder {
        guard let gateway else {
            return HTTPServerBuilder { [settings, clock] in
                PlainHTTPChannel(
                    responder: $0, counts: counts, limits: settings.gateway.plainRequestLimits,
                    idleTimeout: settings.gateway.idleTimeout, clock: clock)
            }
        }
        return HTTPServerBuilder { gateway.channel(for: $0) }
    }

    /// The connection counts of a process without sockets; a gateway has its own.
    func makeCounts(_ limits: LimitCounters) -> ConnectionCounts {
        ConnectionCounts(
            limits: settings.gateway.limits, spare: OpenFiles.spare(for: settings.gateway),
            trustedProxies: settings.gateway.trustedProxies, metrics: nil, limitReached: limits.reached)
    }

    /// The room of the line listener.
    func lobby(_ database: any Database, for role: Role) async throws -> ThreadInfo {
        let title = settings.lobbyTitle
        return try await retryUntilReady { () throws(StoreError) in
            if role.stores {
                return try await database.room(titled: title, newID: ThreadID(UUIDv7(clock)), at: clock.milliseconds)
            }
            guard let lobby = try await database.rooms(titled: [title])[title] else {
                throw .unavailable("no room is titled \(title) yet; a persister creates it")
            }
            return lobby
        }
    }

    /// Retries until the database is ready. Errors that waiting cannot resolve are thrown at once.
    private func retryUntilReady<Value>(_ body: () async throws(StoreError) -> Value) async throws -> Value {
        var second = 0
        while true {
            second += 1
            do {
                return try await body()
            } catch {
                guard case .unavailable(let reason) = error, second < Self.timeout else { throw error }
                if second == 1 {
                    logger.warning("database is not ready, waiting for it", metadata: ["reason": "\(reason)"])
                }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }
}
