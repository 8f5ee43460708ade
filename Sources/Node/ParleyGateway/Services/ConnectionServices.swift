package import Logging
import NIOCore
import ParleyAccounts
import ParleyFanOut
import ParleyMessaging
package import ParleyModel
import Synchronization

/// The dependencies of connections and their session drivers, each in a value of its own. One object for all
/// connections of a node, so that each of them holds a single reference.
final class ConnectionServices: Sendable {
    let settings: GatewaySettings
    let accounts: AccountServices
    let messaging: Messaging
    let delivery: DeliveryServices
    let limits: ConnectionLimits
    let telemetry: GatewayTelemetry
    let drain: DrainState
    let clock: WallClock

    init(
        settings: GatewaySettings, accounts: AccountServices, messaging: Messaging, delivery: DeliveryServices,
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

    /// Appends a message for a session driver.
    /// - Parameters:
    ///   - lastRead: when its bytes came; if the message had to wait, when the newest bytes came.
    ///   - completion: called on the loop, even if the connection is gone by then.
    func append<Driver: LoopBound>(
        _ send: PreparedSend, lastRead: NIODeadline, on loop: GatewayLoop, for driver: Driver,
        _ completion: @escaping @Sendable (Driver, Result<Receipt, MessagingError>) -> Void
    ) {
        let (began, metrics) = (NIODeadline.now(), telemetry.metrics)
        telemetry.tracer.stamp(.read, send.id, ago: (began - lastRead).nanoseconds / 1000)
        let reply = loop.callback(to: driver, completion)
        messaging.append(send) { result in
            if case .success = result { metrics.accepted(after: (NIODeadline.now() - began).nanoseconds) }
            reply(result)
        }
    }
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
