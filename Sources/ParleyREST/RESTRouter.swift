package import Hummingbird
package import Metrics

/// All routes of the HTTP door, behind `FrontMiddleware`.
///
/// The caller runs it in a Hummingbird application whose channel hands everything on that is no WebSocket upgrade, and
/// that bounds header sizes and idle time.
/// - Parameter metrics: where `RequestMetrics` go.
package func makeRouter(
    _ services: RESTServices, metrics: any MetricsFactory = MetricsSystem.factory
) -> Router<RESTContext> {
    let joiner = RoomJoiner(services)
    let groups: [[Route]] = [
        authRoutes(services), messagingRoutes(services, joiner), v1Routes(services), opsRoutes(services),
        socketRoutes(), pageRoutes(),
    ]
    let routes = groups.flatMap { $0 }
    let router = Router(context: RESTContext.self)
    router.add(
        middleware: FrontMiddleware(
            routes: RouteTable(routes), trustedProxies: services.trustedProxies, clock: services.clock,
            metrics: RequestMetrics(factory: metrics)))
    for route in routes {
        for method in route.methods {
            router.on(RouterPath(route.path), method: method, use: route.handler)
        }
    }
    return router
}
