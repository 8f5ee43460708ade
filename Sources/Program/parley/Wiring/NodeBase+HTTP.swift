import Hummingbird
import HummingbirdCore
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyREST
import ParleySockets
import ServiceLifecycle

/// The HTTP listeners of a process: the public one and that of the ops endpoints.
extension NodeBase {
    /// Maximum number of connections that wait to be accepted; the system may allow fewer. All clients may reconnect
    /// at once, and a client that finds the queue full waits a second before it tries again.
    private static let backlog = 4096

    /// All of REST.
    func restRouter(
        _ adapters: Adapters, _ useCases: UseCases, _ reports: Reports, _ counts: ConnectionCounts
    ) -> Router<RESTContext> {
        let reporter = reports.reporter
        return makeRouter(
            RESTServices(
                settings: RESTSettings(
                    origins: settings.accounts.origins, cookie: settings.cookie,
                    trustedProxies: settings.gateway.trustedProxies, hasSockets: role.hasSockets, web: settings.web,
                    push: PushOffer(
                        webPublicKey: settings.push.vapid?.applicationServerKey, hasAPNs: settings.push.apns != nil,
                        hasFCM: settings.push.fcm != nil)),
                messaging: useCases.messaging, auth: useCases.accounts, ops: reports.ops,
                admin: AdminServices(
                    nodeRegistry: adapters.backend.nodes, status: { reporter.status },
                    reply: { await reporter.reply(to: $0) }, admins: settings.accounts.admins),
                clock: clock,
                events: EventFollowers(
                    maximum: settings.eventFollowers,
                    isDraining: { [readiness = reports.readiness] in readiness.hasEnded }, metrics: registry),
                forwarded: counts),
            metrics: registry)
    }

    /// The few routes of a process that only serves sockets.
    func socketRouter(
        _ useCases: UseCases, _ reports: Reports, _ counts: ConnectionCounts
    ) -> Router<RESTContext> {
        makeSocketRouter(
            reports.ops, authenticator: useCases.accounts.authenticator,
            operators: Operators(useCases.messaging, admins: settings.accounts.admins),
            trustedProxies: settings.gateway.trustedProxies, forwarded: counts, clock: clock, metrics: registry)
    }

    /// The connection counts of a process without sockets; a gateway has its own.
    func makeCounts() -> ConnectionCounts {
        ConnectionCounts(
            limits: settings.gateway.limits, spare: OpenFiles.spare(for: settings.gateway),
            trustedProxies: settings.gateway.trustedProxies, metrics: nil, limitReached: limits.reached)
    }

    /// The public listener of a process without sockets.
    func listener(
        _ router: Router<RESTContext>, _ counts: ConnectionCounts, _ readiness: Readiness
    ) -> any Service {
        application(router, readiness) { [settings, clock] in
            PlainHTTPChannel(
                responder: $0, counts: counts, limits: settings.gateway.plainRequestLimits,
                idleTimeout: settings.gateway.idleTimeout, clock: clock)
        }
    }

    /// The public listener of a gateway: HTTP and WebSocket share the port.
    ///
    /// It runs on an event loop: it accepts sockets by the thousand, and each would wake another thread several times.
    /// `GatewayChannel` moves requests of the router off the loop.
    func listener(_ router: Router<RESTContext>, _ gateway: Gateway, _ readiness: Readiness) -> any Service {
        ServiceOnExecutor(
            service: application(router, readiness) { gateway.channel(for: $0) },
            executor: LoopExecutor(loops.next()))
    }

    private func application(
        _ router: Router<RESTContext>, _ readiness: Readiness,
        _ channel: @escaping @Sendable (@escaping HTTPChannelHandler.Responder) throws -> any ServerChildChannel
    ) -> any Service {
        Application(
            router: router, server: HTTPServerBuilder(channel),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), backlog: Self.backlog, reuseAddress: true),
            onServerRunning: { [settings, role, logger] _ in readiness.began(settings, role, logger) },
            eventLoopGroupProvider: .shared(loops), logger: libraryLogger)
    }

    /// The separate listener of the ops endpoints, if one is configured.
    func opsListener(_ reports: Reports) -> OpsListener? {
        settings.opsListener.map {
            OpsListener(
                ops: reports.ops, address: $0, clock: clock, gateway: settings.gateway, loops: loops,
                metrics: registry, logger: libraryLogger)
        }
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
