import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ServiceLifecycle
import UnixSignals

/// One process of Parley: the parts of its role, wired together.
///
/// Without Redis, bus and log are in memory and the process runs alone. With Redis, any number of processes in any
/// roles form a cluster.
struct Node {
    private let group: ServiceGroup
    private let settings: Settings
    private let finish: @Sendable () async -> Void

    /// Wires the parts, from the database up to the listeners.
    init(_ settings: Settings, as role: Role, logger: Logger) async throws {
        let parts = Parts(settings, logger: logger)
        let adapters = try await Adapters(parts, for: role)
        let useCases = try await UseCases(parts, as: role, on: adapters)
        let gateway =
            role.hasSockets
            ? try await parts.makeGateway(adapters, useCases)
            : nil
        let http = HTTPListeners(parts, as: role, adapters, useCases, gateway)
        let services = try await Self.services(parts, as: role, adapters, useCases, gateway, http)
        group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: parts.libraryLogger))
        finish = {
            await useCases.accounts.workers.shutDown()
            await adapters.close()
        }
        self.settings = settings
    }

    /// All services. Each is shut down before those in front of it: the sockets close while the listeners still answer,
    /// then the listeners close, then appends stop, then accepted events are stored.
    private static func services(
        _ parts: Parts, as role: Role, _ adapters: Adapters, _ useCases: UseCases, _ gateway: Gateway?,
        _ http: HTTPListeners
    ) async throws -> [any Service] {
        let (settings, database, backend) = (parts.settings, adapters.database, adapters.backend)
        var services: [any Service] = []
        if let ops = http.ops { services.append(ops) }
        services += [
            BackendService {
                await parts.tracer.run(into: backend.traces) { try? await Task.sleep(for: .milliseconds(20)) }
            }, WorkService(work: useCases.work),
            DirectoryService(directory: useCases.directory),
        ]
        if role.stores { services.append(parts.makePersister(adapters)) }
        services += backend.services
        if role.stores {
            services.append(
                OutboxRelayService(
                    relay: useCases.relay, logger: parts.logger, metrics: parts.registry, clock: parts.clock))
            services.append(CleanupService(cleanups: database, sends: backend.sends, logger: parts.logger))
            if let sweeper = useCases.messaging.attachments?.makeSweeper(parts) { services.append(sweeper) }
        }
        services.append(MaintenanceService(database: database))
        services.append(http.reporter)
        let clocks = http.clocks
        services.append(BackendService { await clocks.run() })
        if let django = adapters.django, let limit = settings.accounts.django?.recheck {
            services.append(DjangoService(site: django, gateway: gateway, limit: limit))
        }
        if let gateway {
            services.append(BackendService { await gateway.changes.run() })
            // Users leave the presence registry when their sockets are closed.
            services.append(
                PresenceService(
                    presence: gateway.presence, presenceRegistry: backend.presence,
                    budgets: useCases.messaging.budgets))
            if let port = settings.linePort {
                services.append(
                    gateway.lineListener(
                        lobby: try await parts.lobby(database, for: role), group: parts.loops,
                        host: settings.host, port: port))
            }
            services.append(ConnectionsService(gateway: gateway))
        }
        services += [
            http.application,
            DrainService(readiness: http.readiness, gateway: gateway, window: settings.gateway.drainWindow),
        ]
        return services
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
                setting: "PARLEY_BIND (bind)", explanation: "\(settings.host) is not an address of this machine")
        }
        await finish()
    }
}
