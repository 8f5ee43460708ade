import HTTPTypes
import Hummingbird
import ParleyJSON
import ParleyMessaging

/// Health, readiness and metrics.
///
/// - Parameters:
///   - hasMetrics: Whether `/metrics` is included.
///   - maySeeReasons: Whether the response may tell why the process is not ready, or what else is wrong, which reveals its
///     components. Called only if there is something to tell.
func opsRoutes(
    _ services: OpsServices, hasMetrics: Bool,
    maySeeReasons: @escaping @Sendable (Request, RESTContext) async -> Bool
) -> [Route] {
    let probe = ReadinessProbe(readiness: services.readiness)
    func readiness(_ path: String, for purpose: ReadinessReport.Purpose) -> Route {
        Route(.get, .head, path: path, for: .anyone) { request, context in
            let report = await probe.report()
            let reasons = report.reasons(for: purpose)
            var showsReasons = false
            if !(reasons.isEmpty && report.notes.isEmpty) {
                showsReasons = await maySeeReasons(request, context.context)
            }
            guard reasons.isEmpty else {
                throw APIError(
                    .unavailable, showsReasons ? (reasons + report.notes).joined(separator: "; ") : "not ready")
            }
            var members: [(String, JSONTree)] = [("status", .text("ready"))]
            if showsReasons { members.append(("notes", .array(report.notes.map { .text($0) }))) }
            return .json(.ordered(members))
        }
    }
    let health = [
        Route(.get, .head, path: "/healthz", for: .anyone) { _, _ in
            .json(.ordered([("status", .text("ok")), ("version", .text(services.version))]))
        },
        readiness("/readyz", for: .any), readiness("/readyz/sockets", for: .sockets),
        readiness("/readyz/rest", for: .rest),
    ]
    guard hasMetrics else { return health }
    return health + [
        Route(.get, .head, path: "/metrics", for: .anyone) { _, _ in
            .text(services.metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
    ]
}

/// Returns the routes on the listener that users can reach.
func openOpsRoutes(_ services: OpsServices, _ callers: RequestCallers) -> [Route] {
    opsRoutes(services, hasMetrics: !services.hasOwnListener) { request, context in
        // Health checks send no credentials and must not cost a lookup.
        guard request.headers[.authorization] != nil || request.headers[.cookie] != nil else { return false }
        let call = RequestCallers.Call(request: request, context: context, budget: nil, isSafe: true)
        return (try? await callers.requireOperator(call)) != nil
    }
}
