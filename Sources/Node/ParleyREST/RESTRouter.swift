package import Hummingbird
package import Metrics
package import ParleyAccounts
package import ParleyMessaging
package import ParleyModel

/// Returns all routes of the HTTP listener, behind `FrontMiddleware`.
///
/// The caller runs the router in a Hummingbird application. Its channel passes on everything except WebSocket upgrades, and
/// limits header sizes and idle time.
/// - Parameter metrics: The factory of `RequestMetrics`.
package func makeRouter(
    _ services: RESTServices, metrics: any MetricsFactory = MetricsSystem.factory
) -> Router<RESTContext> {
    let pages = ThreadPages(messaging: services.messaging, metrics: metrics)
    let callers = RequestCallers(
        authenticator: services.auth.authenticator,
        operators: Operators(services.messaging, admins: services.admin.admins), origins: services.settings.origins,
        budgets: services.messaging.budgets)
    let groups: [[Route]] = [
        authRoutes(services), oidcRoutes(services), messagingRoutes(services), meRoutes(services),
        sessionRoutes(services), userSessionRoutes(services),
        v1Routes(services),
        threadRoutes(services), memberRoutes(services), sanctionRoutes(services), blockRoutes(services),
        deviceRoutes(services), notificationRoutes(services),
        linkRoutes(services), entranceRoutes(services), messageRoutes(services, pages),
        attachmentRoutes(services),
        importRoutes(services), inspectionRoutes(services), administrationRoutes(services), suspensionRoutes(services),
        operatorRoutes(services),
        auditRoutes(services), traceRoutes(services), eventRoutes(services),
        webhookRoutes(services), deadLetterRoutes(services),
        openOpsRoutes(services.ops, callers),
        services.settings.hasSockets ? socketRoutes() : [],
        pageRoutes(services.settings.web),
    ]
    return router(
        groups.flatMap { $0 },
        callers: callers,
        trustedProxies: services.settings.trustedProxies, forwarded: services.forwarded, clock: services.clock,
        metrics: metrics)
}

/// Returns the few routes of a process that only serves sockets.
package func makeSocketRouter(
    _ services: OpsServices, authenticator: Authenticator, operators: Operators, trustedProxies: TrustedProxies,
    forwarded: (any ForwardedRequests)? = nil, clock: WallClock,
    metrics: any MetricsFactory = MetricsSystem.factory
) -> Router<RESTContext> {
    let callers = RequestCallers(
        authenticator: authenticator, operators: operators, origins: OriginPolicy(), budgets: nil)
    return router(
        openOpsRoutes(services, callers) + socketRoutes(), callers: callers, trustedProxies: trustedProxies,
        forwarded: forwarded, clock: clock, metrics: metrics)
}

/// Returns the routes of the separate listener for operators and their programs, which requires no credentials.
package func makeOpsRouter(
    _ services: OpsServices, clock: WallClock, metrics: any MetricsFactory = MetricsSystem.factory
) -> Router<RESTContext> {
    router(
        opsRoutes(services, hasMetrics: true) { _, _ in true }, callers: nil, trustedProxies: TrustedProxies(),
        forwarded: nil,
        clock: clock, metrics: metrics)
}

private func router(
    _ routes: [Route], callers: RequestCallers?, trustedProxies: TrustedProxies,
    forwarded: (any ForwardedRequests)?, clock: WallClock, metrics: any MetricsFactory
) -> Router<RESTContext> {
    let router = Router(context: RESTContext.self)
    router.add(
        middleware: FrontMiddleware(
            routes: RouteTable(routes), slashEnded: SocketPaths.all.union(slashEnded(routes)),
            crossOrigin: CrossOrigin(callers?.origins), trustedProxies: trustedProxies, forwarded: forwarded,
            clock: clock, metrics: RequestMetrics(factory: metrics)))
    for route in routes {
        for method in route.methods {
            router.on(RouterPath(route.path), method: method) { request, context in
                try await route.respond(request, context, callers)
            }
        }
    }
    return router
}

/// The paths of the routes that end with a slash, without the slash.
private func slashEnded(_ routes: [Route]) -> [String] {
    routes.map(\.path).filter { $0.count > 1 && $0.hasSuffix("/") }.map { String($0.dropLast()) }
}
