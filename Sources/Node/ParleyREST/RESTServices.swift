package import ParleyAccounts
package import ParleyMessaging
package import ParleyModel

/// The dependencies of the HTTP listener.
package struct RESTServices: Sendable {
    package var settings: RESTSettings
    package var messaging: Messaging
    package var auth: AccountServices
    package var ops: OpsServices
    package var admin: AdminServices
    package var clock: WallClock
    /// The readers of events.
    package var events: EventFollowers
    /// The limit on forwarded requests; `nil` disables it.
    package var forwarded: (any ForwardedRequests)?

    package init(
        settings: RESTSettings, messaging: Messaging, auth: AccountServices, ops: OpsServices, admin: AdminServices,
        clock: WallClock = .system, events: EventFollowers = EventFollowers(),
        forwarded: (any ForwardedRequests)? = nil
    ) {
        self.settings = settings
        self.messaging = messaging
        self.auth = auth
        self.ops = ops
        self.admin = admin
        self.clock = clock
        self.events = events
        self.forwarded = forwarded
    }
}

/// The settings of the HTTP listener.
package struct RESTSettings: Sendable {
    /// The origins whose pages may log their visitors in.
    package var origins: OriginPolicy
    package var cookie: SessionCookie
    /// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    package var trustedProxies: TrustedProxies
    /// Whether this process also serves the WebSocket paths.
    package var hasSockets: Bool
    package var web: WebAppSettings
    /// The kinds of devices that notifications are sent to.
    package var push: PushOffer

    package init(
        origins: OriginPolicy, cookie: SessionCookie, trustedProxies: TrustedProxies = TrustedProxies(),
        hasSockets: Bool = true, web: WebAppSettings = WebAppSettings(), push: PushOffer = .none
    ) {
        self.origins = origins
        self.cookie = cookie
        self.trustedProxies = trustedProxies
        self.hasSockets = hasSockets
        self.web = web
        self.push = push
    }
}

/// The health, metrics and version of a process.
package struct OpsServices: Sendable {
    /// Reports what this process can currently serve. Only one call runs at a time, and `/readyz` waits for it no longer than
    /// `ReadinessProbe` allows.
    package var readiness: @Sendable () async -> ReadinessReport
    /// Returns the body of `/metrics`, in the Prometheus text format 0.0.4.
    package var metricsText: @Sendable () -> String
    /// The version that `/healthz` reports.
    package var version: String
    /// Whether operators have a separate listener (`makeOpsRouter`), which then is the only one that serves `/metrics`.
    package var hasOwnListener: Bool

    package init(
        readiness: @escaping @Sendable () async -> ReadinessReport, metricsText: @escaping @Sendable () -> String,
        version: String, hasOwnListener: Bool = false
    ) {
        self.readiness = readiness
        self.metricsText = metricsText
        self.version = version
        self.hasOwnListener = hasOwnListener
    }
}
