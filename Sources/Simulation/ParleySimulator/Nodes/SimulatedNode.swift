import ParleyGateway
import ParleyMessaging

/// One life of a node: from the start of its process until it is killed.
///
/// Confined to the simulator's only thread.
package final class SimulatedNode: @unchecked Sendable {
    // `@unchecked Sendable`: the simulator has one thread.
    package enum Role: Sendable {
        case gateway
        case persister
    }

    package let name: String
    package let role: Role
    package let process: SimulatedProcess
    private let scheduler: Scheduler
    /// By which the database knows the process.
    var databaseClient = ""
    var loops: [SimulatedEventLoop] = []
    private var connections = 0
    /// `nil` until the node has started.
    private(set) var parts: NodeParts?
    /// The reason that the start failed.
    private(set) var failure: (any Error)?

    init(_ name: String, _ role: Role, process: SimulatedProcess, on scheduler: Scheduler) {
        self.name = name
        self.role = role
        self.process = process
        self.scheduler = scheduler
    }

    package var isAlive: Bool { process.state != .dead }
    package var isReady: Bool { isAlive && parts != nil }

    /// An event loop for a new socket.
    func nextLoop() -> SimulatedEventLoop? {
        guard !loops.isEmpty else { return nil }
        connections += 1
        return loops[connections % loops.count]
    }

    /// Starts the process.
    func start(_ environment: NodeEnvironment) {
        run { [self] in
            do {
                let parts = try await NodeParts(environment)
                self.parts = parts
                await withTaskGroup(of: Void.self) { group in
                    for service in parts.services { group.addTask { await service() } }
                }
            } catch {
                failure = error
            }
        }
    }

    /// Runs asynchronous work in the process.
    func run(_ body: @escaping @Sendable () async -> Void) {
        scheduler.call(as: process) { Task.detached { await body() } }
    }
}
