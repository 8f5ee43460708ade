package import Logging
import Metrics
import NIOCore
package import ParleyAccounts
package import ParleyFanOut
package import ParleyMessaging
package import ParleyModel
import ParleySession
import ParleySockets
import ParleyWire
import Synchronization

/// What the doors of one node share: who may come in, the way to the log, and the fan-out that brings events back.
package final class Gateway: Sendable {
    package let settings: GatewaySettings
    package let fanOut: FanOut
    let log: any MessageLog
    let bus: any ThreadBus
    let store: any MessageStore
    let stateChanges: StateChanges
    package let presence: PresenceWatch
    /// Finds out what has happened to users; its `run` is the caller's to call.
    package let changes: ChangeWatch
    /// Which threads are busy.
    package let meter = EventMeter()
    let authenticator: Authenticator
    let tickets: Tickets
    let sessions: AuthSessions
    let directory: BatchedDirectory
    let guestNames: any GuestNames
    let work: WorkPool
    let clock: WallClock
    package let logger: Logger
    let metrics: GatewayMetrics
    let tracer: Tracer
    package let counts: ConnectionCounts
    package let budgets: Budgets
    let commands: LogCommands
    let reads: ReadMarker
    /// For what belongs to a loop and is short between its awaits.
    let executors: [LoopExecutor]
    private let heartbeats: [NIOLoopBoundBox<HeartbeatWheel?>]
    private let pollers: [NIOLoopBoundBox<SocketPoller?>]
    private let isDraining = Atomic<Bool>(false)

    package init(
        settings: GatewaySettings, fanOut: FanOut, log: any MessageLog, bus: any ThreadBus, readMarks: any ReadMarks,
        store: any MessageStore, stateChanges: StateChanges, presence: PresenceWatch, commands: LogCommands,
        accounts: AccountServices,
        directory: BatchedDirectory, feed: any ChangeFeed, guestNames: any GuestNames, work: WorkPool,
        clock: WallClock, logger: Logger, metrics: GatewayMetrics, tracer: Tracer = .off
    ) {
        self.settings = settings
        self.fanOut = fanOut
        self.log = log
        self.bus = bus
        self.store = store
        self.stateChanges = stateChanges
        self.presence = presence
        authenticator = accounts.authenticator
        tickets = accounts.tickets
        sessions = accounts.sessions
        self.directory = directory
        changes = ChangeWatch(
            feed: feed, fanOut: fanOut, directory: directory, sessions: accounts.sessions, logger: logger)
        self.guestNames = guestNames
        self.work = work
        self.clock = clock
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
        counts = ConnectionCounts(
            limits: settings.limits, spare: settings.spareConnections, trustedProxies: settings.trustedProxies,
            metrics: metrics)
        self.commands = commands
        budgets = commands.budgets
        reads = ReadMarker(log: log, marks: readMarks, bus: bus, clock: clock, settings: commands.settings)
        executors = fanOut.loops.map { LoopExecutor($0) }
        heartbeats = fanOut.loops.map { .makeEmptyBox(eventLoop: $0) }
        pollers = fanOut.loops.map { .makeEmptyBox(eventLoop: $0) }
    }

    /// Gets ready for sockets. To be called once, before a door opens.
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
        for (index, loop) in fanOut.loops.enumerated() {
            let isTold = try await loop.flatSubmit { [self] in
                let wheel = HeartbeatWheel(loop: loop)
                wheel.start()
                heartbeats[index].value = wheel
                do {
                    let poller = try SocketPoller(eventLoop: loop)
                    pollers[index].value = poller
                    return try PollerWake.start(for: poller).map(\.value.isTold)
                } catch {
                    return loop.makeFailedFuture(error)
                }
            }.get()
            if !isTold {
                logger.warning("this kernel does not tell of sockets (io_submit), so they are looked at every 5 ms")
            }
        }
    }

    /// What watches the sockets of a loop; to be called on that loop, after `start`.
    func poller(_ loop: Int) -> SocketPoller {
        guard let poller = pollers[loop].value else { preconditionFailure("Gateway was not started") }
        return poller
    }

    /// The heartbeats of a loop; to be called on that loop, after `start`.
    func heartbeats(_ loop: Int) -> HeartbeatWheel {
        guard let wheel = heartbeats[loop].value else { preconditionFailure("Gateway was not started") }
        return wheel
    }

    /// Says something that only somebody who looks for a fault wants to know.
    /// - Parameter facts: made only if they are wanted, which costs more than most of what they tell of.
    func debug(_ message: Logger.Message, _ facts: @autoclosure () -> Logger.Metadata) {
        guard logger.logLevel <= .debug else { return }
        logger.debug(message, metadata: facts())
    }

    /// Opens another socket for the same user, on any node.
    func resumeTicket(for identity: Identity) -> String {
        tickets.issueResume(for: identity)
    }

    // MARK: Drain

    /// Takes no more sockets; those there are close over the drain window.
    package func beginDrain() {
        isDraining.store(true, ordering: .relaxed)
        for (box, loop) in zip(pollers, fanOut.loops) {
            loop.execute {
                for owner in box.value?.owners ?? [] { (owner as? SocketHandler)?.beginDrain() }
            }
        }
    }

    package var drains: Bool { isDraining.load(ordering: .relaxed) }

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

    /// How many WebSockets are open.
    package var socketCount: Int { counts.sockets }

    /// How many connections of the line door are open.
    package var lineCount: Int { counts.lines }

    /// Lets `connectionsClosed` return though some are open.
    package func giveUpConnections() {
        counts.noConnections.giveUp()
    }

    /// When a socket that is told to go goes: spread over the window, and sooner when there are few, since a hundred
    /// reconnects a second hurt nobody.
    func drainDelay() -> TimeAmount {
        let window = min(settings.drainWindow.nanoseconds, Int64(counts.sockets) * 10_000_000)
        return .nanoseconds(window > 0 ? Int64.random(in: 0...window) : 0)
    }
}
