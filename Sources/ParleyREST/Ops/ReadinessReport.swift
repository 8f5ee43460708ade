/// What a process can serve at the moment, for `/readyz` and the paths below it.
package struct ReadinessReport: Hashable, Sendable {
    /// What a balancer asks about.
    package enum Purpose: String, CaseIterable, Hashable, Sendable {
        /// Anything of what the process is there for.
        case any
        case sockets
        case rest
    }

    /// Why it serves nothing: starting, draining, no database.
    package var reasons: [String]
    /// Why it accepts no sockets, though the list above is empty; also if that is not its role.
    package var socketReasons: [String]
    /// As `socketReasons`, for REST.
    package var restReasons: [String]
    /// What operators should know of a process that is ready: hosts that are away, a wrong clock.
    package var notes: [String]

    package init(
        reasons: [String] = [], sockets: [String] = [], rest: [String] = [], notes: [String] = []
    ) {
        self.reasons = reasons
        socketReasons = sockets
        restReasons = rest
        self.notes = notes
    }

    /// Why it is not ready for a purpose; empty if it is.
    package func reasons(for purpose: Purpose) -> [String] {
        switch purpose {
        case .sockets: reasons + socketReasons
        case .rest: reasons + restReasons
        case .any: reasons + (socketReasons.isEmpty || restReasons.isEmpty ? [] : socketReasons + restReasons)
        }
    }
}
