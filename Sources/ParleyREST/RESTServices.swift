package import ParleyAccounts
package import ParleyMessaging
package import ParleyModel

/// What the HTTP door works with: ports, the parts of the accounts room, and its settings.
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
    package var traces: (any TraceStore)?
    /// `nil`: proxies may forward as much as they like.
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
