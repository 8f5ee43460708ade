package import ParleyAccounts
package import ParleyMessaging
package import ParleyModel

/// The dependencies of the HTTP listener: ports, account services, and settings.
package struct RESTServices: Sendable {
    package var store: any MessageStore
    package var accounts: any AccountStore
    package var directory: BatchedDirectory
    package var changes: StateChanges
    package var log: any MessageLog
    package var bus: any ThreadBus
    package var clock: WallClock
    package var commands: LogCommands

    package var authenticator: Authenticator
    package var login: Login
    package var tickets: Tickets
    /// The pages that may log their visitors in.
    package var origins: OriginPolicy

    package var cookie: SessionCookie
    /// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    package var trustedProxies: TrustedProxies
    package var ops: OpsServices
    package var admin: AdminServices
    /// Whether this process also serves the WebSocket paths.
    package var hasSockets: Bool
    package var tracer: Tracer
    /// `nil` disables tracing.
    package var traces: (any TraceStore)?
    /// `nil` disables the limit on forwarded requests.
    package var forwarded: (any ForwardedRequests)?

    package init(
        store: any MessageStore, accounts: any AccountStore, directory: BatchedDirectory,
        changes: StateChanges, log: any MessageLog, bus: any ThreadBus, commands: LogCommands,
        clock: WallClock = .system,
        authenticator: Authenticator,
        login: Login, tickets: Tickets,
        origins: OriginPolicy, cookie: SessionCookie, trustedProxies: TrustedProxies = TrustedProxies(),
        ops: OpsServices, admin: AdminServices, hasSockets: Bool = true,
        tracer: Tracer = .off, traces: (any TraceStore)? = nil, forwarded: (any ForwardedRequests)? = nil
    ) {
        self.store = store
        self.accounts = accounts
        self.directory = directory
        self.changes = changes
        self.log = log
        self.bus = bus
        self.clock = clock
        self.commands = commands
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
        self.forwarded = forwarded
    }
}
