import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleySockets

extension NodeBase {
    /// The interval in which a gateway compares each thread with its log once.
    private static let headCheck = TimeAmount.seconds(30)

    /// Makes and starts the gateway.
    func startGateway(_ adapters: Adapters, _ useCases: UseCases) async throws -> Gateway {
        let (backend, database) = (adapters.backend, adapters.database)
        let (accounts, messaging) = (useCases.accounts, useCases.messaging)
        let loops = Array(loops.makeIterator())
        let presence = PresenceWatch(loop: loops[0], presenceRegistry: backend.presence, bus: backend.bus, work: work) {
            try await database.peers(among: $0)
        }
        let fanOut = FanOut(
            loops: loops, bus: adopting(backend, messaging), log: backend.log, work: work,
            metrics: FanOutMetrics(factory: registry, clock: clock), tracer: tracer,
            noteSent: { messaging.slowMode.delivered($1, in: $0) })
        var gatewaySettings = settings.gateway
        OpenFiles.raise(for: &gatewaySettings, logger: logger)
        if settings.redis != nil { gatewaySettings.headCheck = Self.headCheck }
        let fault = settings.plantedFault.map { PlantedFault($0, metrics: registry) }
        let gateway = Gateway(
            settings: gatewaySettings,
            delivery: DeliveryServices(
                fanOut, presence, feed: database, isAlive: { try await accounts.sessions.isAlive($0, of: $1) },
                isKey: { try await messaging.isAPIKey($0) }, profiles: { try await database.profiles(of: $0) },
                logger: logger),
            messaging: messaging, accounts: accounts, guestNames: backend.guestNames, work: work, clock: clock,
            telemetry: GatewayTelemetry(logger: logger, metrics: GatewayMetrics(factory: registry), tracer: tracer),
            members: { fault?.decorate($0) ?? $0 })
        try await gateway.start()
        return gateway
    }

    /// The bus from which the fan-out receives; it has adopted events taken into the log.
    private func adopting(_ backend: any LogBackend, _ messaging: Messaging) -> any ThreadBus {
        guard let names = backend.adoptedNames else { return backend.bus }
        let counters = AdoptionCounters(factory: registry)
        return AdoptingBus(backend.bus, Adopter(messaging, names: names, count: counters.count))
    }
}
