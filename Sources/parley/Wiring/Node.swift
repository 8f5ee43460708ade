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
import ParleySQLite
import ServiceLifecycle
import UnixSignals

/// One process of Parley: the parts that its role has, put together.
///
/// With no Redis, bus and log are in memory and the process is alone; with Redis any number of processes in any roles
/// make up a cluster.
struct Node {
    /// The most connections that wait to be accepted, if the system allows as many. Clients may all come back at once,
    /// and one that finds no room tries again after a second.
    private static let backlog = 4096

    private let group: ServiceGroup
    private let settings: Settings
    private let finish: @Sendable () async -> Void

    /// Puts the parts together, from the store up to the doors.
    init(_ settings: Settings, as role: Role, logger: Logger) async throws {
        let clock = WallClock.system
        let registry = PrometheusRegistry(settings: MetricsCatalogue.settings)
        registry.onScrape { ProcessMetrics().read() }
        // Libraries describe their parts in full at every step, which tells whoever runs this nothing.
        var libraryLogger = logger
        libraryLogger.logLevel = max(logger.logLevel, .notice)
        // Before anybody has used the group, which then has as many.
        NIOSingletons.groupLoopCountSuggestion = settings.loops
        let loops = MultiThreadedEventLoopGroup.singleton
        let tracer = Tracer(
            node: settings.gateway.node, every: settings.traceEvery, microseconds: WallClock.systemMicroseconds)
        let parts = Parts(
            settings: settings, clock: clock, logger: logger, registry: registry, loops: loops, tracer: tracer)

        let database = try await parts.openDatabase(for: role)
        let backend = parts.makeBackend(store: database)
        try await backend.start(subscribes: role.hasSockets)

        // Accounts
        let limits = LimitCounters(factory: registry)
        let directory = BatchedDirectory(
            database, apiKeys: settings.accounts.apiKeys, settings: settings.accounts.directory, clock: clock)
        let django = try await parts.openDjango()
        let accounts = try await AccountServices(
            settings: settings.accounts, accounts: database, directory: directory,
            ticketStore: backend.tickets, rates: backend.rates, djangoSite: django, clock: clock,
            limitReached: limits.reached, logger: logger)

        // Listeners
        let work = WorkPool()
        let commands = parts.makeCommands(backend, database, work, limits.reached)
        let relay = parts.makeRelay(backend, database)
        let changes = parts.makeChanges(backend, database, accounts, directory, relay, commands.budgets)
        let gateway =
            role.hasSockets
            ? try await parts.makeGateway(backend, database, accounts, directory, changes, work, commands)
            : nil
        let counts = gateway?.counts ?? parts.makeCounts(limits)
        let reporter = NodeReporter(
            parts: parts, role: role, backend: backend, database: database, gateway: gateway)
        let readiness = Readiness()
        let ops = OpsServices(
            readiness: {
                var reasons = readiness.reasons
                do { try await database.check() } catch { reasons.append("database: \(error)") }
                return reasons + (await backend.troubles())
            },
            metricsText: { registry.text() }, version: Version.text, hasOwnListener: settings.opsListener != nil)
        let router =
            role.hasREST
            ? makeRouter(
                RESTServices(
                    store: database, accounts: database, directory: directory, changes: changes,
                    log: backend.log, bus: backend.bus, commands: commands, clock: clock,
                    authenticator: accounts.authenticator,
                    login: accounts.login,
                    tickets: accounts.tickets, origins: settings.accounts.origins, cookie: settings.cookie,
                    trustedProxies: settings.gateway.trustedProxies, ops: ops,
                    admin: AdminServices(
                        nodeRegistry: backend.nodes, status: { reporter.status },
                        reply: { await reporter.reply(to: $0) },
                        admins: settings.accounts.admins),
                    hasSockets: role.hasSockets, tracer: tracer, traces: backend.traces, forwarded: counts),
                metrics: registry)
            : makeSocketRouter(
                ops,
                operators: Operators(
                    authenticator: accounts.authenticator, accounts: database, admins: settings.accounts.admins),
                trustedProxies: settings.gateway.trustedProxies, forwarded: counts, clock: clock, metrics: registry)
        let door = Application(
            router: router, server: parts.server(gateway, counts),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), backlog: Self.backlog, reuseAddress: true),
            onServerRunning: { _ in readiness.began(settings, role, logger) },
            eventLoopGroupProvider: .shared(loops), logger: libraryLogger)

        // Each is shut down before those in front of it: first the sockets go, while the listeners still answer, then the
        // listeners close, then nothing is appended any more, then what was accepted is stored.
        var services: [any Service] = []
        if let address = settings.opsListener {
            services.append(
                OpsListener(
                    ops: ops, address: address, clock: clock, gateway: settings.gateway, loops: loops,
                    metrics: registry,
                    logger: libraryLogger))
        }
        services += [
            BackendService { await tracer.run(into: backend.traces) }, WorkService(work: work),
            DirectoryService(directory: directory),
        ]
        if role.stores { services.append(parts.makePersister(backend, database)) }
        services += backend.services
        if role.stores {
            services.append(
                OutboxRelayService(relay: relay, logger: logger, metrics: registry, clock: clock))
            services.append(CleanupService(cleanups: database, logger: logger))
        }
        if let store = database as? SQLiteStore { services.append(SQLiteService(store: store)) }
        services.append(reporter)
        if let django, let limit = settings.accounts.django?.recheck {
            services.append(DjangoService(site: django, gateway: gateway, limit: limit))
        }
        if let gateway {
            services.append(BackendService { await gateway.changes.run() })
            // Users vanish from the board when their sockets are closed.
            services.append(PresenceService(gateway: gateway, presenceRegistry: backend.presence))
            if let port = settings.linePort {
                services.append(
                    LineListener(
                        gateway: gateway, lobby: try await parts.lobby(database, for: role), group: loops,
                        host: settings.host, port: port))
            }
            services.append(ConnectionsService(gateway: gateway))
        }
        services += [door, DrainService(readiness: readiness, gateway: gateway)]
        group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: libraryLogger))
        finish = {
            await accounts.workers.shutDown()
            await backend.stop()
            await django?.close()
            try? await database.close()
        }
        self.settings = settings
    }

    /// Runs until a signal ends it.
    func run() async throws {
        do {
            try await group.run()
        } catch let failure as PortFailure {
            throw failure
        } catch let error as IOError {
            throw PortFailure(error, host: settings.host, port: settings.port, flag: "--port")
        } catch let error where error is SocketAddressError || error is SocketAddressError.UnknownHost {
            throw SettingError(
                setting: "PARLEY_BIND (bind)", explanation: "\(settings.host) is no address of this machine")
        }
        await finish()
    }
}
