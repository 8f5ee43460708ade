import Logging
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleyWire
import ServiceLifecycle

/// The wiring of each role: its adapters, then the use cases on them, then the listeners, then the services.
///
/// Services are shut down from the last to the first: the sockets close while the listeners still answer, then the
/// listeners close, then appends stop, then accepted events are stored.
extension Node {
    /// Everything in one process.
    static func serve(_ settings: Settings, logger: Logger) async throws -> Node {
        let base = NodeBase(settings, as: .serve, logger: logger)

        let database = try await base.openDatabase()
        let backend = try await base.openBackend(store: database)
        let adapters = Adapters(database: database, backend: backend, django: try await base.openDjango())

        let useCases = try await UseCases(base, on: adapters)

        let gateway = try await base.startGateway(adapters, useCases)
        let reports = Reports(base, adapters, gateway)
        let router = base.restRouter(adapters, useCases, reports, gateway.counts)

        var services: [any Service] = base.opsListener(reports).map { [$0] } ?? []
        services += base.useCaseServices(adapters, useCases)
        services.append(base.persister(adapters))
        services += backend.services
        services += base.leftovers(adapters, useCases)
        services += base.upkeep(adapters, reports, gateway)
        services += try await base.socketServices(gateway, adapters, useCases)
        services.append(base.listener(router, gateway, reports.readiness))
        services.append(
            DrainService(readiness: reports.readiness, gateway: gateway, window: settings.gateway.drainWindow))
        return Node(base, adapters, useCases, services)
    }

    /// Serves sockets; persisters do the rest.
    static func gateway(_ settings: Settings, logger: Logger) async throws -> Node {
        let base = NodeBase(settings, as: .gateway, logger: logger)

        let database = try await base.openDatabase()
        let backend = try await base.openBackend(store: database)
        let adapters = Adapters(database: database, backend: backend, django: try await base.openDjango())

        let useCases = try await UseCases(base, on: adapters)

        let gateway = try await base.startGateway(adapters, useCases)
        let reports = Reports(base, adapters, gateway)
        let router = base.socketRouter(useCases, reports, gateway.counts)

        var services: [any Service] = base.opsListener(reports).map { [$0] } ?? []
        services += base.useCaseServices(adapters, useCases)
        services += backend.services
        services += base.upkeep(adapters, reports, gateway)
        services += try await base.socketServices(gateway, adapters, useCases)
        services.append(base.listener(router, gateway, reports.readiness))
        services.append(
            DrainService(readiness: reports.readiness, gateway: gateway, window: settings.gateway.drainWindow))
        return Node(base, adapters, useCases, services)
    }

    /// Stores messages and serves REST.
    static func persister(_ settings: Settings, logger: Logger) async throws -> Node {
        let base = NodeBase(settings, as: .persister, logger: logger)

        let database = try await base.openDatabase()
        // Gateways look up the lobby and do not create it.
        _ = try await base.lobby(in: database)
        let backend = try await base.openBackend(store: database)
        let adapters = Adapters(database: database, backend: backend, django: try await base.openDjango())

        let useCases = try await UseCases(base, on: adapters)

        let reports = Reports(base, adapters, nil)
        let counts = base.makeCounts()
        let router = base.restRouter(adapters, useCases, reports, counts)

        var services: [any Service] = base.opsListener(reports).map { [$0] } ?? []
        services += base.useCaseServices(adapters, useCases)
        services.append(base.persister(adapters))
        services += backend.services
        services += base.leftovers(adapters, useCases)
        services += base.upkeep(adapters, reports, nil)
        services.append(base.listener(router, counts, reports.readiness))
        services.append(
            DrainService(readiness: reports.readiness, gateway: nil, window: settings.gateway.drainWindow))
        return Node(base, adapters, useCases, services)
    }
}

/// Groups of services, as the roles list them.
extension NodeBase {
    /// The services that the use cases of every role need.
    func useCaseServices(_ adapters: Adapters, _ useCases: UseCases) -> [any Service] {
        [
            BackendService { [tracer] in
                await tracer.run(into: adapters.backend.traces) { try? await Task.sleep(for: .milliseconds(20)) }
            }, WorkService(work: work), DirectoryService(directory: useCases.directory),
        ]
    }

    /// From log to store.
    func persister(_ adapters: Adapters) -> any Service {
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

    /// The services that finish what changes leave undone: outbox, webhooks, cleanups, unused files.
    func leftovers(_ adapters: Adapters, _ useCases: UseCases) -> [any Service] {
        let sender = WebhookSender(
            store: adapters.database, requests: WebhookClient(settings.webhookNetworks),
            encode: JSONWriter.webhookBody, policy: settings.webhooks, clock: clock, logger: logger,
            metrics: WebhookMetrics(factory: registry))
        var services: [any Service] = [
            WebhookService(sender), EventGroupReport(adapters.database, logger: logger, metrics: registry),
            OutboxRelayService(relay: useCases.relay, logger: logger, metrics: registry, clock: clock),
            CleanupService(
                cleanups: adapters.database, sends: adapters.backend.sends,
                retentions: [
                    RowRetention(days: settings.auditDays, clock: clock, logger: logger) {
                        [database = adapters.database] before, limit throws(StoreError) in
                        try await database.pruneAudit(before: before, limit: limit)
                    },
                    // Rows that were written before events were turned off are kept for a day.
                    RowRetention(days: max(settings.unseenDays, 1), clock: clock, logger: logger) {
                        [database = adapters.database] before, limit throws(StoreError) in
                        try await database.pruneUnseen(before: before, limit: limit)
                    },
                ].compactMap { $0 },
                entrances: EntranceRetention(adapters.database, clock: clock, logger: logger), logger: logger),
        ]
        if let pushes = pushes(adapters) { services.append(pushes) }
        return services + (useCases.sweeper.map { [$0] } ?? [])
    }

    /// The service that looks for unseen messages; `nil` without the key of a push service and without events about them.
    private func pushes(_ adapters: Adapters) -> (any Service)? {
        let sender = PushSenders(settings.push, settings.webhookNetworks)
        let unseen = settings.unseenDays > 0 ? adapters.database : nil
        guard sender != nil || unseen != nil else { return nil }
        return PushService(
            store: adapters.database, worker: settings.gateway.node, presence: adapters.backend.presence,
            sender: sender, unseen: unseen,
            delay: settings.pushDelay, clock: clock, logger: logger, metrics: registry)
    }

    /// The services that keep the process and its connections in order.
    func upkeep(_ adapters: Adapters, _ reports: Reports, _ gateway: Gateway?) -> [any Service] {
        let clocks = reports.clocks
        var services: [any Service] = [
            MaintenanceService(database: adapters.database), reports.reporter, BackendService { await clocks.run() },
        ]
        if let django = adapters.django, let limit = settings.accounts.django?.recheck {
            services.append(DjangoService(site: django, gateway: gateway, limit: limit))
        }
        return services
    }

    /// The services that the sockets need.
    func socketServices(
        _ gateway: Gateway, _ adapters: Adapters, _ useCases: UseCases
    ) async throws -> [any Service] {
        var services: [any Service] = [
            BackendService { await gateway.changes.run() },
            // Users leave the presence registry when their sockets are closed.
            PresenceService(
                presence: gateway.presence, presenceRegistry: adapters.backend.presence,
                budgets: useCases.messaging.budgets),
        ]
        if let port = settings.linePort {
            services.append(
                gateway.lineListener(
                    lobby: try await lobby(in: adapters.database), group: loops, host: settings.host, port: port))
        }
        services.append(ConnectionsService(gateway: gateway))
        return services
    }
}
