import HTTPTypes
import Hummingbird
import ParleyJSON

/// Health, readiness and metrics.
///
/// - Parameters:
///   - hasMetrics: whether `/metrics` is included.
///   - maySeeReasons: whether the response may say why the process is not ready, which reveals its components. Called
///     only then.
func opsRoutes(
    _ services: OpsServices, hasMetrics: Bool,
    maySeeReasons: @escaping @Sendable (Request, RESTContext) async -> Bool
) -> [Route] {
    let probe = ReadinessProbe(readiness: services.readiness)
    let health = [
        Route(.get, .head, path: "/healthz") { _, _ in
            .json(.ordered([("status", .text("ok")), ("version", .text(services.version))]))
        },
        Route(.get, .head, path: "/readyz") { request, context in
            let reasons = await probe.reasons()
            guard !reasons.isEmpty else { return .json(.ordered([("status", .text("ready"))])) }
            let showsReasons = await maySeeReasons(request, context)
            throw APIError(.unavailable, showsReasons ? reasons.joined(separator: "; ") : "not ready")
        },
    ]
    guard hasMetrics else { return health }
    return health + [
        Route(.get, .head, path: "/metrics") { _, _ in
            .text(services.metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    ]
}

/// The routes on the listener that users reach.
func openOpsRoutes(_ services: OpsServices, _ operators: Operators) -> [Route] {
    opsRoutes(services, hasMetrics: !services.hasOwnListener) { request, context in
        // Health checks send no credentials and must cost no lookup.
        guard request.headers[.authorization] != nil || request.headers[.cookie] != nil else { return false }
        return (try? await operators.require(request, context, changesState: false)) != nil
    }
}
