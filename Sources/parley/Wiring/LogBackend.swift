import ParleyModel
import ServiceLifecycle

/// Log and bus with all that comes from the same place.
protocol LogBackend: Sendable {
    var log: any MessageLog { get }
    var bus: any ThreadBus { get }
    var stream: any IngestStream { get }
    var readMarks: any ReadMarks { get }
    var tickets: any TicketStore { get }
    var rates: any RateStore { get }
    var presence: any PresenceRegistry { get }
    var guestNames: any GuestNames { get }
    var traces: any TraceStore { get }
    var nodes: any NodeRegistry { get }
    /// Whether there may be other nodes.
    var isShared: Bool { get }
    /// To be shut down after everybody who appends is gone.
    var services: [any Service] { get }

    /// Connects; to be called once, before anything else.
    /// - Parameter subscribes: whether this process receives from the bus.
    func start(subscribes: Bool) async throws
    /// Why it cannot serve at the moment; empty if it can.
    func troubles() async -> [String]
    func stop() async
}
