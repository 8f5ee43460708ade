import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMemory
import ParleyMetrics
import ParleyModel
import ParleyPersister
import ParleyREST
import ParleySQLite
import ServiceLifecycle
import UnixSignals

/// Everything in one process, with nothing else to start: bus and log in memory, one SQLite file.
///
/// A send counts as accepted when SQLite has committed it, so a crash loses nothing that anybody has seen.
struct EmbeddedNode {
    private let group: ServiceGroup
    private let settings: Settings
    private let finish: @Sendable () async -> Void

    /// Puts the parts together, from the store up to the doors.
    init(_ settings: Settings, logger: Logger) async throws {
        let clock = WallClock.system
        let registry = PrometheusRegistry()
        registry.onScrape { ProcessMetrics().read() }
        // Libraries describe their parts in full at every step, which tells whoever runs this nothing.
        var libraryLogger = logger
        libraryLogger.logLevel = max(logger.logLevel, .notice)

        // Store
        let store = try SQLiteStore(path: settings.databasePath, clock: clock)
        try await store.migrate()

        // Log and bus
        let broker = MemoryBroker()
        let bus = broker.makeBus()
        let log = MemoryLog(
            bus: broker, history: store, clock: clock, settings: MemoryLogSettings(acceptance: .whenStored))
        let persister = Persister(stream: log, store: store, logger: logger, metrics: registry, clock: clock)
        let readMarks = ReadMarkWriter(store: store, logger: logger)

        // Accounts
        let directory = BatchedDirectory(store, settings: settings.accounts.directory, clock: clock)
        let accounts = try await AccountServices(
            settings: settings.accounts, accounts: store, directory: directory, bus: bus,
            ledger: MemoryTicketLedger(clock: clock), clock: clock, logger: logger)

        // Doors
        let loops = MultiThreadedEventLoopGroup.singleton
        let work = WorkPool()
        let fanOut = FanOut(
            loops: Array(loops.makeIterator()), bus: bus, log: log, work: work,
            metrics: FanOutMetrics(factory: registry))
        let gateway = Gateway(
            settings: settings.gateway, fanOut: fanOut, log: log, bus: bus, readMarks: readMarks,
            authenticator: accounts.authenticator, directory: directory, guestNames: MemoryGuestNames(), work: work,
            clock: clock, logger: logger, metrics: GatewayMetrics(factory: registry))
        try await gateway.start()
        let isStarted = Readiness()
        let router = makeRouter(
            RESTServices(
                store: store, accounts: store, directory: directory, log: log, bus: bus, clock: clock,
                authenticator: accounts.authenticator, login: accounts.login, tickets: accounts.tickets,
                origins: settings.accounts.origins,
                cookie: settings.cookie, trustedProxies: settings.gateway.trustedProxies,
                readiness: {
                    var reasons = isStarted.reasons
                    if gateway.drains { reasons.append("draining") }
                    do { try await store.check() } catch { reasons.append("database: \(error)") }
                    return reasons
                },
                metricsText: { registry.text() }, version: Version.text),
            metrics: registry)
        let door = Application(
            router: router,
            server: HTTPServerBuilder { GatewayChannel(responder: $0, gateway: gateway) },
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), backlog: 1024, reuseAddress: true),
            onServerRunning: { _ in isStarted.began(settings, logger) },
            eventLoopGroupProvider: .shared(loops), logger: libraryLogger)

        // Each is shut down before those in front of it: first the doors close, then nothing is appended any more, then
        // what was accepted is stored.
        var services: [any Service] = [WorkService(work: work), persister, readMarks, LogService(log: log)]
        if let port = settings.linePort {
            let lobby = try await store.room(
                titled: settings.lobbyTitle, newID: ThreadID(UUIDv7(clock)), at: clock.milliseconds)
            services.append(
                LineDoor(gateway: gateway, lobby: lobby, group: loops, host: settings.host, port: port))
        }
        // A closing handshake may take some seconds after the last socket was told to go.
        let patience = Duration.nanoseconds(settings.gateway.drainWindow.nanoseconds) + .seconds(5)
        services += [
            ConnectionsService(gateway: gateway, patience: patience), door, DrainService(gateway: gateway),
        ]
        group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: libraryLogger))
        finish = {
            await accounts.workers.shutDown()
            try? await store.close()
        }
        self.settings = settings
    }

    /// Runs until a signal ends it.
    func run() async throws {
        do {
            try await group.run()
        } catch let error as IOError {
            throw PortFailure(error, host: settings.host, port: settings.port, flag: "--port")
        } catch let error where error is SocketAddressError || error is SocketAddressError.UnknownHost {
            throw SettingFlaw(
                setting: "PARLEY_BIND (bind)", explanation: "\(settings.host) is no address of this machine")
        }
        await finish()
    }
}
