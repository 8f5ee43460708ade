/// What a process tells of itself.
package struct OpsServices: Sendable {
    /// Why this process cannot serve at the moment (starting, draining, a backend away); empty if it can. Asked once
    /// at a time; `/readyz` does not wait for it longer than `ReadinessProbe` says.
    package var readiness: @Sendable () async -> [String]
    /// The body of `/metrics`, in the Prometheus text format 0.0.4.
    package var metricsText: @Sendable () -> String
    /// Shown by `/healthz`.
    package var version: String
    /// Operators have a listener of their own (`makeOpsRouter`), so `/metrics` is nowhere else.
    package var hasOwnListener: Bool

    package init(
        readiness: @escaping @Sendable () async -> [String], metricsText: @escaping @Sendable () -> String,
        version: String, hasOwnListener: Bool = false
    ) {
        self.readiness = readiness
        self.metricsText = metricsText
        self.version = version
        self.hasOwnListener = hasOwnListener
    }
}
