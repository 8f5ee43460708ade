/// Health, metrics and version of a process.
package struct OpsServices: Sendable {
    /// Why this process cannot serve at the moment (starting, draining, a backend unavailable); empty if it can. Called
    /// once at a time; `/readyz` waits for it no longer than `ReadinessProbe` allows.
    package var readiness: @Sendable () async -> [String]
    /// The body of `/metrics`, in the Prometheus text format 0.0.4.
    package var metricsText: @Sendable () -> String
    /// Reported by `/healthz`.
    package var version: String
    /// Whether operators have a separate listener (`makeOpsRouter`), which alone then serves `/metrics`.
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
