import Hummingbird
import HummingbirdCore
import Metrics
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyMetrics
import ParleyModel
import ParleyREST
import ServiceLifecycle

/// The HTTP listeners of a process: the application and the ops endpoints.
struct HTTPListeners {
    /// Maximum number of connections that wait to be accepted, if the system allows as many. All clients may reconnect
    /// at once, and one that finds the queue full retries after a second.
    private static let backlog = 4096

    let readiness: Readiness
    let clocks: ClockWatch
    let reporter: NodeReporter
    /// The public listener.
    let application: any Service
    /// The separate listener of the ops endpoints, if one is configured.
    let ops: OpsListener?

    init(_ parts: Parts, as role: Role, _ adapters: Adapters, _ useCases: UseCases, _ gateway: Gateway?) {
        let (settings, registry, logger) = (parts.settings, parts.registry, parts.logger)
        let readiness = Readiness()
        let reporter = NodeReporter(
            parts: parts, role: role, backend: adapters.backend, database: adapters.database, gateway: gateway)
        let clocks = ClockWatch(
            parts.databaseClock, database: adapters.database, peers: adapters.backend.clocks,
            record: { peer, seconds in
                Gauge(label: "parley_clock_ahead_seconds", dimensions: [("peer", peer)], factory: registry)
                    .record(seconds)
            }, logger: logger)
        let opsServices = OpsServices(
            readiness: { await readiness.report(of: adapters, as: role, clocks) }, metricsText: { registry.text() },
            version: Version.text, hasOwnListener: settings.opsListener != nil)
        let counts = gateway?.counts ?? parts.makeCounts(useCases.limits)
        let router =
            role.hasREST
            ? makeRouter(
                RESTServices(
                    settings: RESTSettings(
                        origins: settings.accounts.origins, cookie: settings.cookie,
                        trustedProxies: settings.gateway.trustedProxies, hasSockets: role.hasSockets),
                    messaging: useCases.messaging, auth: useCases.accounts, ops: opsServices,
                    admin: AdminServices(
                        nodeRegistry: adapters.backend.nodes, status: { reporter.status },
                        reply: { await reporter.reply(to: $0) }, admins: settings.accounts.admins),
                    clock: parts.clock, forwarded: counts),
                metrics: registry)
            : makeSocketRouter(
                opsServices,
                authenticator: useCases.accounts.authenticator,
                operators: Operators(useCases.messaging, admins: settings.accounts.admins),
                trustedProxies: settings.gateway.trustedProxies, forwarded: counts, clock: parts.clock,
                metrics: registry)
        let application = Application(
            router: router, server: parts.server(gateway, counts),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), backlog: Self.backlog, reuseAddress: true),
            onServerRunning: { _ in readiness.began(settings, role, logger) },
            eventLoopGroupProvider: .shared(parts.loops), logger: parts.libraryLogger)
        self.application =
            gateway == nil
            ? application : GatewayServer(application: application, executor: LoopExecutor(parts.loops.next()))
        ops = settings.opsListener.map {
            OpsListener(
                ops: opsServices, address: $0, clock: parts.clock, gateway: settings.gateway, loops: parts.loops,
                metrics: registry, logger: parts.libraryLogger)
        }
        self.readiness = readiness
        self.clocks = clocks
        self.reporter = reporter
    }
}

/// Runs the HTTP server of a gateway on an event loop: it accepts sockets by the thousand, and each would wake another
/// thread several times. `GatewayChannel` moves requests of the router off the loop.
private struct GatewayServer: Service {
    let application: any Service
    let executor: LoopExecutor

    func run() async throws {
        try await withTaskExecutorPreference(executor) { try await application.run() }
    }
}

extension ConnectionCounts: ForwardedRequests {
    package func begin(from address: String) -> Int? {
        do {
            try openRequest(from: address)
            return nil
        } catch {
            if case .tooManyRequests(let limit) = error { return limit }
            return 0
        }
    }

    package func end(from address: String) {
        closeRequest(from: address)
    }
}
