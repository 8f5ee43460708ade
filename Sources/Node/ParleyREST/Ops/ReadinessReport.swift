/// The services that a process can currently offer, for `/readyz` and the paths below it.
package struct ReadinessReport: Hashable, Sendable {
    /// The purpose that a load balancer asks about.
    package enum Purpose: String, CaseIterable, Hashable, Sendable {
        /// Any service of the process.
        case any
        case sockets
        case rest
    }

    /// The reasons that the process serves nothing: it is starting or draining, or has no database.
    package var reasons: [String]
    /// The reasons that it accepts no sockets although `reasons` is empty, including a role without sockets.
    package var socketReasons: [String]
    /// The same as `socketReasons`, for REST.
    package var restReasons: [String]
    /// Notes for operators about a process that is ready, such as unavailable hosts or a wrong clock.
    package var notes: [String]

    package init(
        reasons: [String] = [], sockets: [String] = [], rest: [String] = [], notes: [String] = []
    ) {
        self.reasons = reasons
        socketReasons = sockets
        restReasons = rest
        self.notes = notes
    }

    /// Returns the reasons that the process is not ready for a purpose, or an empty array if it is ready.
    package func reasons(for purpose: Purpose) -> [String] {
        switch purpose {
        case .sockets: reasons + socketReasons
        case .rest: reasons + restReasons
        case .any: reasons + (socketReasons.isEmpty || restReasons.isEmpty ? [] : socketReasons + restReasons)
        }
    }
}
