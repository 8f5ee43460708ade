package import Hummingbird
package import Metrics
package import ParleyAccounts
package import ParleyModel

/// All routes of the HTTP door, behind `FrontMiddleware`.
///
/// The caller runs it in a Hummingbird application whose channel hands everything on that is no WebSocket upgrade, and
/// that bounds header sizes and idle time.
/// - Parameter metrics: where `RequestMetrics` go.
package func makeRouter(
    _ services: RESTServices, metrics: any MetricsFactory = MetricsSystem.factory
) -> Router<RESTContext> {
    let joiner = RoomJoiner(services)
    let pages = ThreadPages(store: services.store, metrics: metrics)
    let groups: [[Route]] = [
        authRoutes(services), messagingRoutes(services, joiner), meRoutes(services), v1Routes(services),
        threadRoutes(services, joiner), memberRoutes(services), messageRoutes(services, pages),
        importRoutes(services), inspectionRoutes(services), administrationRoutes(services), traceRoutes(services),
        opsRoutes(services.ops),
        services.hasSockets ? socketRoutes() : [], pageRoutes(),
    ]
    return router(
        groups.flatMap { $0 }, trustedProxies: services.trustedProxies, clock: services.clock, metrics: metrics)
}

/// The few routes of a process that has only sockets.
package func makeSocketRouter(
    _ services: OpsServices, trustedProxies: TrustedProxies, clock: WallClock,
    metrics: any MetricsFactory = MetricsSystem.factory
) -> Router<RESTContext> {
    router(opsRoutes(services) + socketRoutes(), trustedProxies: trustedProxies, clock: clock, metrics: metrics)
}

private func router(
    _ routes: [Route], trustedProxies: TrustedProxies, clock: WallClock, metrics: any MetricsFactory
) -> Router<RESTContext> {
    let router = Router(context: RESTContext.self)
    router.add(
        middleware: FrontMiddleware(
            routes: RouteTable(routes), trustedProxies: trustedProxies, clock: clock,
            metrics: RequestMetrics(factory: metrics)))
    for route in routes {
        for method in route.methods {
            router.on(RouterPath(route.path), method: method, use: route.handler)
        }
    }
    return router
}
