import ParleyMessaging
import ParleyModel
import ServiceLifecycle

/// The log, the bus, and all that shares their backend: Redis, or the memory of the process.
protocol LogBackend: Sendable {
    var log: any MessageLog { get }
    var sends: any SendMemory { get }
    var bus: any ThreadBus { get }
    var stream: any IngestStream { get }
    var readMarks: any ReadMarks { get }
    var tickets: any TicketStore { get }
    var rates: any RateStore { get }
    var presence: any PresenceRegistry { get }
    var guestNames: any GuestNames { get }
    var traces: any TraceStore { get }
    var nodes: any NodeRegistry { get }
    /// The names of adopted events; `nil` if none are adopted.
    var adoptedNames: (any AdoptedNames)? { get }
    /// Whether other nodes can use the same backend.
    var isShared: Bool { get }
    /// Background services; shut down after all that append to the log.
    var services: [any Service] { get }

    /// Connects; called once, before anything else.
    /// - Parameter subscribes: whether this process receives from the bus.
    func start(subscribes: Bool) async throws
    /// Hosts that do not answer at the moment, with the reason; empty if all do. Their threads are unavailable.
    func problems() async -> [String]
    /// The servers whose clocks matter.
    var clocks: [ClockWatch.Peer] { get }
    func stop() async
}
