package import ParleyAccounts
package import ParleyModel

/// What the HTTP door works with: ports, the parts of the accounts room, and its settings.
package struct RESTServices: Sendable {
    package var store: any MessageStore
    package var accounts: any AccountStore
    package var directory: BatchedDirectory
    package var log: any MessageLog
    package var bus: any ThreadBus
    package var clock: WallClock
    package var limits: Limits
    /// What users may still send; `nil`: as much as they like.
    package var rates: (any RateLedger)?
    /// Called for each send that has to wait.
    package var limitReached: @Sendable (ReachedLimit) -> Void

    package var authenticator: Authenticator
    package var login: Login
    package var tickets: Tickets
    /// Pages that may log their visitors in.
    package var origins: OriginPolicy

    package var cookie: SessionCookie
    /// Whose `X-Forwarded-For` and `X-Forwarded-Proto` count.
    package var trustedProxies: TrustedProxies
    package var ops: OpsServices
    package var admin: AdminServices
    /// Whether the paths of the sockets are here too.
    package var hasSockets: Bool
    package var tracer: Tracer
    /// `nil`: no message is traced.
    package var traces: (any TraceLedger)?

    package init(
        store: any MessageStore, accounts: any AccountStore, directory: BatchedDirectory, log: any MessageLog,
        bus: any ThreadBus, clock: WallClock = .system, limits: Limits = Limits(),
        rates: (any RateLedger)? = nil, limitReached: @escaping @Sendable (ReachedLimit) -> Void = { _ in },
        authenticator: Authenticator,
        login: Login, tickets: Tickets,
        origins: OriginPolicy, cookie: SessionCookie, trustedProxies: TrustedProxies = TrustedProxies(),
        ops: OpsServices, admin: AdminServices, hasSockets: Bool = true,
        tracer: Tracer = .off, traces: (any TraceLedger)? = nil
    ) {
        self.store = store
        self.accounts = accounts
        self.directory = directory
        self.log = log
        self.bus = bus
        self.clock = clock
        self.limits = limits
        self.rates = rates
        self.limitReached = limitReached
        self.authenticator = authenticator
        self.login = login
        self.tickets = tickets
        self.origins = origins
        self.cookie = cookie
        self.trustedProxies = trustedProxies
        self.ops = ops
        self.admin = admin
        self.hasSockets = hasSockets
        self.tracer = tracer
        self.traces = traces
    }
}
