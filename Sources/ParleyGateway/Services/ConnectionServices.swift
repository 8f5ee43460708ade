package import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
package import ParleyModel
import Synchronization

/// What connections and their session drivers depend on, each in a value of its own. One object for all connections of
/// a node, so that each of them holds a single reference.
final class ConnectionServices: Sendable {
    let settings: GatewaySettings
    let accounts: AccountServices
    let messaging: MessagingServices
    let delivery: DeliveryServices
    let limits: ConnectionLimits
    let telemetry: GatewayTelemetry
    let drain: DrainState
    let clock: WallClock

    init(
        settings: GatewaySettings, accounts: AccountServices, messaging: MessagingServices, delivery: DeliveryServices,
        limits: ConnectionLimits, telemetry: GatewayTelemetry, drain: DrainState, clock: WallClock
    ) {
        self.settings = settings
        self.accounts = accounts
        self.messaging = messaging
        self.delivery = delivery
        self.limits = limits
        self.telemetry = telemetry
        self.drain = drain
        self.clock = clock
    }
}

/// How events reach connections: the fan-out of threads, presence, and the watch over changes of users.
struct DeliveryServices: Sendable {
    let fanOut: FanOut
    let presence: PresenceWatch
    let changes: ChangeWatch
}

/// Counts connections and what each user does, against the limits of the settings.
struct ConnectionLimits: Sendable {
    let counts: ConnectionCounts
    let budgets: Budgets
}

/// Logging, metrics and traces of a gateway.
package struct GatewayTelemetry: Sendable {
    let logger: Logger
    let metrics: GatewayMetrics
    let tracer: Tracer

    package init(logger: Logger, metrics: GatewayMetrics, tracer: Tracer = .off) {
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
    }

    /// Logs at the level debug.
    /// - Parameter metadata: evaluated only if the level is on, since making it costs more than most of what it
    ///   describes.
    func debug(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata) {
        guard logger.logLevel <= .debug else { return }
        logger.debug(message, metadata: metadata())
    }

    /// Traces that a message goes to the log.
    /// - Parameter lastRead: when its bytes came; if the message had to wait, when the newest bytes came.
    func stampSent(_ message: MessageID, lastRead: NIODeadline) {
        guard message.isTraced else { return }
        tracer.stamp(.read, message, ago: (NIODeadline.now() - lastRead).nanoseconds / 1000)
        tracer.stamp(.sent, message)
    }
}

/// Whether this node is draining, and when each of its sockets closes.
final class DrainState: Sendable {
    private let window: TimeAmount
    private let counts: ConnectionCounts
    private let flag = Atomic<Bool>(false)

    init(window: TimeAmount, counts: ConnectionCounts) {
        self.window = window
        self.counts = counts
    }

    var isDraining: Bool { flag.load(ordering: .relaxed) }

    func begin() { flag.store(true, ordering: .relaxed) }

    /// A random delay within the drain window. The window is shorter for few sockets, since a hundred reconnects per
    /// second overload no node.
    func delay() -> TimeAmount {
        let window = min(window.nanoseconds, Int64(counts.sockets) * 10_000_000)
        return .nanoseconds(window > 0 ? Int64.random(in: 0...window) : 0)
    }
}
