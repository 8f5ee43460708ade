/// The services that a process can offer at the moment, for `/readyz` and the paths below it.
package struct ReadinessReport: Hashable, Sendable {
    /// The purpose that a balancer asks about.
    package enum Purpose: String, CaseIterable, Hashable, Sendable {
        /// Anything of what the process is there for.
        case any
        case sockets
        case rest
    }

    /// The reasons that it serves nothing: starting, draining, no database.
    package var reasons: [String]
    /// The reasons that it accepts no sockets, though the list above is empty; also if that is not its role.
    package var socketReasons: [String]
    /// As `socketReasons`, for REST.
    package var restReasons: [String]
    /// Notes for operators about a process that is ready: unavailable hosts, a wrong clock.
    package var notes: [String]

    package init(
        reasons: [String] = [], sockets: [String] = [], rest: [String] = [], notes: [String] = []
    ) {
        self.reasons = reasons
        socketReasons = sockets
        restReasons = rest
        self.notes = notes
    }

    /// The reasons that it is not ready for a purpose; empty if it is.
    package func reasons(for purpose: Purpose) -> [String] {
        switch purpose {
        case .sockets: reasons + socketReasons
        case .rest: reasons + restReasons
        case .any: reasons + (socketReasons.isEmpty || restReasons.isEmpty ? [] : socketReasons + restReasons)
        }
    }
}
