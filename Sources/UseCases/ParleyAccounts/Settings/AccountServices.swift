package import Logging
package import ParleyModel

/// The services of this module, built from settings and ports.
package struct AccountServices: Sendable {
    package let authenticator: Authenticator
    package let login: Login
    package let tickets: Tickets
    package let sessions: AuthSessions
    /// `nil` without `AccountSettings.oidc`.
    package let oidc: OIDCLogin?
    /// Must be shut down when the process ends.
    package let workers: PasswordWorkers

    /// - Parameters:
    ///   - directory: shared with the listeners, so that one invalidation serves all. It has `settings.apiKeys`.
    ///   - rates: where all nodes count failed logins; `nil` for a single node.
    ///   - djangoSite: holds the sessions of `settings.django`.
    ///   - oidcRequests: reach the provider of `settings.oidc`.
    ///   - limitReached: called for each login attempt that is delayed.
    /// - Throws: `SettingError` for an unusable setting.
    package init(
        settings: AccountSettings, accounts: any AccountStore, directory: BatchedDirectory,
        ticketStore: any TicketStore, rates: (any RateStore)? = nil, djangoSite: (any DjangoDirectory)? = nil,
        oidcRequests: (any ProviderRequests)? = nil, clock: WallClock = .system,
        limitReached: @escaping @Sendable (ReachedLimit) -> Void = { _ in }, logger: Logger
    ) async throws(SettingError) {
        try Self.checkIterations(settings)
        let reserved = ReservedNames(settings.admins)
        let hasher = PasswordHasher(iterations: settings.passwordIterations)
        workers = PasswordWorkers(
            parallelism: settings.passwordWorkers ?? PasswordWorkers.defaultParallelism,
            maximumWaiting: settings.passwordQueue)
        let devices = DeviceTokens(secret: settings.secret, clock: clock)
        let checker = PasswordChecker(
            accounts: accounts, hasher: hasher, workers: workers,
            guardian: LoginGuard(limits: settings.limits, rates: rates, limitReached: limitReached),
            devices: devices,
            memory: VerifiedPasswords(lifetime: settings.basicMemory, capacity: settings.basicMemoryEntries),
            clock: clock, logger: logger)
        var verifiers: [any SessionVerifier] = [OwnSessions(directory: directory, clock: clock)]
        var cookies = [settings.sessionCookie]
        if let django = settings.django, let djangoSite {
            let firstContact = FirstContact(
                origin: .django, accounts: accounts, directory: directory, reservedNames: reserved, logger: logger)
            let users = DjangoUsers(directory: directory, firstContact: firstContact, clock: clock, logger: logger)
            verifiers.append(
                DjangoSessions(
                    settings: django, secret: settings.secret, site: djangoSite, users: users,
                    gathering: settings.directory, clock: clock, logger: logger))
            if !cookies.contains(django.cookie) { cookies.append(django.cookie) }
        }
        sessions = AuthSessions(verifiers)
        tickets = try Tickets(
            secret: settings.secret, lifetime: settings.ticketLifetime, resumeLifetime: settings.resumeTicketLifetime,
            sessions: sessions, directory: directory, ticketStore: ticketStore, clock: clock, logger: logger)
        var jwt: JWTUsers?
        if let jwtSettings = settings.jwt {
            let verifier = try await JWTVerifier(settings: jwtSettings, logger: logger)
            let firstContact = FirstContact(
                origin: .jwt, accounts: accounts, directory: directory, reservedNames: reserved, logger: logger)
            jwt = JWTUsers(
                verifier: verifier, directory: directory, firstContact: jwtSettings.createsUsers ? firstContact : nil,
                clock: clock, logger: logger)
        }
        authenticator = Authenticator(
            cookies: cookies, origins: settings.origins, jwt: jwt,
            sessions: sessions, passwords: checker, tickets: tickets, directory: directory,
            clock: clock, logger: logger)
        login = Login(
            accounts: accounts, directory: directory, passwords: checker,
            throttle: SignUpThrottle(limits: settings.limits, rates: rates, limitReached: limitReached),
            devices: devices, sessionLifetime: settings.sessionLifetime, allowsSignup: settings.allowsSignup,
            allowsTokenPasswords: settings.allowsTokenPasswords, reservedNames: reserved, clock: clock,
            logger: logger)
        if let oidc = settings.oidc, let oidcRequests {
            let firstContact = FirstContact(
                origin: .jwt, accounts: accounts, directory: directory, reservedNames: reserved, logger: logger)
            let users = OIDCUsers(
                issuer: oidc.issuer.text, login: login, directory: directory, firstContact: firstContact)
            self.oidc = OIDCLogin(
                settings: oidc, secret: settings.secret, requests: oidcRequests, users: users, login: login,
                ticketStore: ticketStore, clock: clock, logger: logger)
        } else {
            oidc = nil
        }
    }

    /// Checks settings as `init` does, without a store.
    /// - Throws: `SettingError` for an unusable setting.
    package static func check(_ settings: AccountSettings, logger: Logger) async throws(SettingError) {
        try checkIterations(settings)
        try Tickets.check(settings.secret)
        if let jwt = settings.jwt { _ = try await JWTVerifier(settings: jwt, logger: logger) }
    }

    private static func checkIterations(_ settings: AccountSettings) throws(SettingError) {
        guard (1...StoredPassword.maximumIterations).contains(settings.passwordIterations) else {
            throw SettingError(
                setting: "PARLEY_AUTH_PBKDF2_ITERATIONS",
                explanation: "is \(settings.passwordIterations); expected 1 to \(StoredPassword.maximumIterations)")
        }
    }
}
