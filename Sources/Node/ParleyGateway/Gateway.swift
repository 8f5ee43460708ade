package import HummingbirdCore
import Logging
package import NIOCore
package import ParleyAccounts
package import ParleyFanOut
package import ParleyMessaging
package import ParleyModel
package import ParleySockets

/// The gateway of one node: makes what its listeners and connections depend on, starts its event loops, and drains
/// them.
package final class Gateway: Sendable {
    /// Counts the events of each thread.
    package let meter = EventMeter()
    package let counts: ConnectionCounts
    package let fanOut: FanOut
    /// The caller runs it.
    package let presence: PresenceWatch
    /// Brings the sockets of this node up to date with changes of their users; the caller runs it.
    package let changes: ChangeWatch
    let services: ConnectionServices
    let loops: GatewayLoops
    let admission: AdmissionControl
    private let guestNames: any GuestNames
    private let recheck: SessionRecheck
    private let work: WorkPool
    private let makeMembers: @Sendable (LoopRoster) -> any MemberRegistry

    /// - Parameters:
    ///   - startPolling: wakes the loops when sockets are ready; a simulation polls by itself.
    ///   - members: the registry in front of the roster of each loop; tests of faults decorate it.
    package init(
        settings: GatewaySettings, delivery: DeliveryServices, messaging: Messaging, accounts: AccountServices,
        guestNames: any GuestNames, work: WorkPool, clock: WallClock, telemetry: GatewayTelemetry,
        startPolling: @escaping PollerWake.Start = PollerWake.standard,
        members: @escaping @Sendable (LoopRoster) -> any MemberRegistry = { $0 }
    ) {
        counts = ConnectionCounts(
            limits: settings.limits, spare: settings.spareConnections, trustedProxies: settings.trustedProxies,
            metrics: telemetry.metrics)
        (fanOut, presence, changes) = (delivery.fanOut, delivery.presence, delivery.changes)
        let drain = DrainState(window: settings.drainWindow, counts: counts)
        services = ConnectionServices(
            settings: settings, accounts: accounts, messaging: messaging,
            delivery: delivery,
            limits: ConnectionLimits(counts: counts, budgets: messaging.budgets), telemetry: telemetry,
            drain: drain, clock: clock)
        admission = AdmissionControl(
            accounts: accounts, messaging: messaging, fanOut: fanOut, counts: counts, drain: drain,
            clock: clock, logger: telemetry.logger)
        recheck = SessionRecheck(fanOut: fanOut, sessions: accounts.sessions)
        self.guestNames = guestNames
        self.work = work
        makeMembers = members
        loops = GatewayLoops(fanOut, startPolling: startPolling)
    }

    /// Starts the fan-out and the event loops. Must be called once, before a listener opens.
    package func start() async throws {
        let changes = changes
        try await fanOut.start(
            headCheck: services.settings.headCheck,
            observer: { [meter, presence] signal in
                if case .event(let event) = signal { meter.count(event.thread) }
                presence.observed(signal)
                changes.received(signal)
            },
            resubscribed: { changes.pollSoon() },
            reloadUser: { changes.recheck($0, isUrgent: $1) })
        changes.listen()
        if try await !loops.start(members: makeMembers, work: work) {
            services.telemetry.logger.warning("io_submit is not available; sockets are polled every 5 ms")
        }
    }

    // MARK: Listeners

    /// The channels of a listener of HTTP and WebSocket.
    package func channel(for responder: @escaping HTTPChannelHandler.Responder) -> GatewayChannel {
        GatewayChannel(responder: responder, services: services, admission: admission, loops: loops)
    }

    /// A listener of the line dialect.
    /// - Parameters:
    ///   - lobby: the room of all guests; it must exist in the store.
    ///   - group: has the event loops of the fan-out.
    package func lineListener(
        lobby: ThreadInfo, group: any EventLoopGroup, host: String, port: Int
    ) -> LineListener {
        LineListener(
            services: services, loops: loops, names: guestNames, lobby: lobby, group: group, host: host, port: port)
    }

    /// Closes the sockets whose auth session has ended in another system.
    package func recheckForeignSessions() async {
        await recheck.run()
    }

    // MARK: Drain

    /// Rejects new sockets, and closes the open ones over the drain window.
    package func beginDrain() {
        services.drain.begin()
        loops.forEach { loop in
            for socket in loop.connections.sockets { socket.beginDrain() }
        }
    }

    package var drains: Bool { services.drain.isDraining }

    /// Returns when every WebSocket is closed.
    package func socketsClosed() async {
        await counts.noSockets.reached()
    }

    /// Lets `socketsClosed` return though some are open.
    package func giveUpSockets() {
        counts.noSockets.giveUp()
    }

    /// Returns when every connection of the HTTP and WebSocket listener is closed.
    package func connectionsClosed() async {
        await counts.noConnections.reached()
    }

    /// Lets `connectionsClosed` return though some are open.
    package func giveUpConnections() {
        counts.noConnections.giveUp()
    }
}
