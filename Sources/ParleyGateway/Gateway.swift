package import Logging
import NIOCore
package import ParleyAccounts
package import ParleyFanOut
package import ParleyMessaging
package import ParleyModel
import ParleySockets

/// The gateway of one node: makes what its listeners and connections depend on, starts its event loops, and drains them.
package final class Gateway: Sendable {
    /// Counts the events of each thread.
    package let meter = EventMeter()
    let services: ConnectionServices
    let admission: AdmissionControl
    let guestNames: any GuestNames
    private let recheck: SessionRecheck
    private let work: WorkPool
    private let makeMembers: @Sendable (LoopRoster) -> any MemberRegistry
    private let loops: [NIOLoopBoundBox<GatewayLoop?>]

    /// - Parameters:
    ///   - members: the registry in front of the roster of each loop; tests of faults decorate it.
    package init(
        settings: GatewaySettings, fanOut: FanOut, presence: PresenceWatch, messaging: MessagingServices,
        accounts: AccountServices, feed: any ChangeFeed, guestNames: any GuestNames, work: WorkPool, clock: WallClock,
        telemetry: GatewayTelemetry, members: @escaping @Sendable (LoopRoster) -> any MemberRegistry = { $0 }
    ) {
        let counts = ConnectionCounts(
            limits: settings.limits, spare: settings.spareConnections, trustedProxies: settings.trustedProxies,
            metrics: telemetry.metrics)
        let changes = ChangeWatch(
            feed: feed, fanOut: fanOut, directory: messaging.directory, sessions: accounts.sessions,
            logger: telemetry.logger)
        let drain = DrainState(window: settings.drainWindow, counts: counts)
        services = ConnectionServices(
            settings: settings, accounts: accounts, messaging: messaging,
            delivery: DeliveryServices(fanOut: fanOut, presence: presence, changes: changes),
            limits: ConnectionLimits(counts: counts, budgets: messaging.commands.budgets), telemetry: telemetry,
            drain: drain, clock: clock)
        admission = AdmissionControl(
            accounts: accounts, directory: messaging.directory, fanOut: fanOut, counts: counts, drain: drain,
            clock: clock, logger: telemetry.logger)
        recheck = SessionRecheck(fanOut: fanOut, sessions: accounts.sessions)
        self.guestNames = guestNames
        self.work = work
        makeMembers = members
        loops = fanOut.loops.map { .makeEmptyBox(eventLoop: $0) }
    }

    package var settings: GatewaySettings { services.settings }
    package var fanOut: FanOut { services.delivery.fanOut }
    package var presence: PresenceWatch { services.delivery.presence }
    /// Brings the sockets of this node up to date with changes of their users; the caller runs it.
    package var changes: ChangeWatch { services.delivery.changes }
    package var counts: ConnectionCounts { services.limits.counts }
    package var budgets: Budgets { services.limits.budgets }
    package var logger: Logger { services.telemetry.logger }

    /// Starts the fan-out and the event loops. Must be called once, before a listener opens.
    package func start() async throws {
        let changes = changes
        try await fanOut.start(
            headCheck: settings.headCheck,
            observer: { [meter, presence] signal in
                switch signal {
                case .event(let event): meter.count(event.thread)
                case .presence(let state): presence.heard(state)
                case .resubscribed: presence.missedSomething()
                case .ephemeral, .control, .foreign: break
                }
            },
            resubscribed: { changes.look() },
            reloadUser: { changes.look(at: $0, isUrgent: $1) })
        for (index, eventLoop) in fanOut.loops.enumerated() {
            let isNotified = try await eventLoop.flatSubmit { [self] in
                do {
                    let loop = try GatewayLoop(
                        index: index, eventLoop: eventLoop, members: makeMembers(fanOut.roster(index)), work: work)
                    loops[index].value = loop
                    loop.heartbeats.start()
                    return try PollerWake.start(for: loop.poller).map(\.value.isNotified)
                } catch {
                    return eventLoop.makeFailedFuture(error)
                }
            }.get()
            if !isNotified {
                logger.warning("io_submit is not available; sockets are polled every 5 ms")
            }
        }
    }

    /// The state of an event loop; must be called on that loop, after `start`.
    /// - Returns: `nil` if the loop is none of the fan-out's.
    func loop(of eventLoop: any EventLoop) -> GatewayLoop? {
        guard let index = fanOut.index(of: eventLoop) else { return nil }
        guard let loop = loops[index].value else { preconditionFailure("Gateway was not started") }
        return loop
    }

    /// Runs `body` on every loop in turn.
    func onLoops<Value: Sendable>(_ body: @escaping @Sendable (GatewayLoop) -> Value) async -> [Value] {
        var values: [Value] = []
        for (box, eventLoop) in zip(loops, fanOut.loops) {
            let value = try? await eventLoop.submit { box.value.map(body) }.get()
            if let value = value ?? nil { values.append(value) }
        }
        return values
    }

    /// Closes the sockets whose auth session has ended in another system.
    package func recheckForeignSessions() async {
        await recheck.run()
    }

    // MARK: Drain

    /// Rejects new sockets, and closes the open ones over the drain window.
    package func beginDrain() {
        services.drain.begin()
        for (box, eventLoop) in zip(loops, fanOut.loops) {
            eventLoop.execute {
                for socket in box.value?.connections.sockets ?? [] { socket.beginDrain() }
            }
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
