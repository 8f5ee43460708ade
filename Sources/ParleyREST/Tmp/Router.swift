package import CoreMetrics
package import Hummingbird

package func makeRouter(
    _ services: RESTServices, metrics: any MetricsFactory = MetricsSystem.factory
) -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    router.get("/healthz") { _, _ in "ok" }
    router.get("/readyz") { _, _ async -> String in await services.readiness().joined(separator: ",") }
    router.get("/metrics") { _, _ in services.metricsText() }
    return router
}
