package import Logging
package import ParleyModel

/// Authenticates a request by the first credential that it carries:
///
/// 1. `Authorization: Bearer`: a JWT (three parts divided by dots), an API key (`pk_…`), or a session token
/// 2. `Authorization: Basic`
/// 3. the session cookie, if the page's origin is allowed
/// 4. a ticket
///
/// The credentials of a suspended user are refused, whatever their kind. The look-up of the user reads the suspension too.
///
/// If a credential is present but invalid, the request is rejected without trying the next kind. An empty cookie value
/// or a blank `Authorization` header counts as absent.
package struct Authenticator: Sendable {
    private let cookies: [String]
    private let origins: OriginPolicy
    private let jwt: JWTUsers?
    private let sessions: AuthSessions
    private let passwords: PasswordChecker
    private let tickets: Tickets
    private let directory: BatchedDirectory
    private let clock: WallClock
    private let logger: Logger
    private let failures = LogThrottle()

    /// - Parameters:
    ///   - cookies: the names of session cookies. Of several in a request, the first that is a session counts.
    ///   - jwt: `nil` if no JWT is accepted.
    package init(
        cookies: [String], origins: OriginPolicy, jwt: JWTUsers?, sessions: AuthSessions,
        passwords: PasswordChecker, tickets: Tickets, directory: BatchedDirectory, clock: WallClock = .system,
        logger: Logger
    ) {
        self.cookies = cookies
        self.origins = origins
        self.jwt = jwt
        self.sessions = sessions
        self.passwords = passwords
        self.tickets = tickets
        self.directory = directory
        self.clock = clock
        self.logger = logger
    }

    /// The principal of a request.
    ///
    /// Tickets are only read here; the caller that admits the bearer redeems them (`Tickets.redeem`).
    /// - Parameter fresh: the user named by a JWT or an API key is read after this call. `false` allows a cached user,
    ///   for callers that read the user again before they decide.
    package func authenticate(
        _ presented: PresentedCredentials, fresh: Bool = true
    ) async throws(AuthFailure) -> Principal {
        if let value = presented.authorization, let authorization = AuthorizationHeader(value) {
            guard value.utf8.count <= AuthorizationHeader.maximumBytes else {
                throw .unauthorized("the Authorization header is too long")
            }
            switch authorization {
            case .bearer(let token): return try await bearer(token, presented, fresh: fresh)
            case .basic(let encoded): return .user(try await basic(encoded, presented))
            case .unknown: throw .unauthorized("unknown Authorization scheme; allowed are Bearer and Basic")
            }
        }
        let tokens = cookies.compactMap { CookieHeader.value(of: $0, in: presented.cookies) }.filter { !$0.isEmpty }
        if !tokens.isEmpty {
            guard presented.isSafeMethod || origins.allows(origin: presented.origin, host: presented.host) else {
                throw .forbidden("the session cookie is not accepted from this Origin")
            }
            return .user(try await session(tokens))
        }
        if let ticket = presented.ticket {
            return .user(try tickets.read(ticket))
        }
        let names = cookies.joined(separator: " or ")
        throw .unauthorized("no credentials; allowed are Authorization, the \(names) cookie, or a ticket")
    }

    private func bearer(
        _ token: String, _ presented: PresentedCredentials, fresh: Bool
    ) async throws(AuthFailure) -> Principal {
        if token.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 {
            guard let jwt else { throw .unauthorized("JWTs are not accepted here") }
            return .user(try await jwt.identity(of: token, fresh: fresh))
        }
        if token.hasPrefix(APIKeys.prefix) {
            let key = try await apiKey(token)
            guard let acting = presented.actingUser else { return .service(apiKeyName: key.name) }
            return .user(
                Identity(
                    user: try await user(acting, fresh: fresh), credential: .apiKey(name: key.name, hash: key.hash)))
        }
        return .user(try await session([token]))
    }

    private func apiKey(_ key: String) async throws(AuthFailure) -> APIKeyRecord {
        do {
            if let record = try await directory.apiKey(APIKeys.hash(of: key)) { return record }
        } catch {
            throw AuthFailure(error, logger)
        }
        throw .unauthorized("unknown API key")
    }

    private func basic(_ encoded: String, _ presented: PresentedCredentials) async throws(AuthFailure) -> Identity {
        guard let basic = BasicCredentials(encoded: encoded) else {
            throw .unauthorized("the Basic credentials are not the base64 of user:password in UTF-8")
        }
        do {
            let credentials = try await passwords.check(
                username: basic.username, password: basic.password, address: presented.address,
                device: presented.device(beside: cookies.first).map { .cookie($0) }, mayRemember: true)
            return Identity(
                user: credentials.user, credential: .password, credentialsVersion: credentials.credentialsVersion)
        } catch {
            throw error.authFailure
        }
    }

    private func session(_ tokens: [String]) async throws(AuthFailure) -> Identity {
        var found: VerifiedSession?
        do throws(StoreError) {
            for token in tokens where found == nil { found = try await sessions.session(cookie: token) }
        } catch {
            // Any cookie of the right form leads here while a database is unavailable.
            let mayLog = failures.allow("\(error)", at: clock.milliseconds)
            throw AuthFailure(error, mayLog ? logger : nil)
        }
        guard let found else { throw .unauthorized("the session is unknown or has ended") }
        try found.suspension.refuse(at: clock.milliseconds)
        return Identity(user: found.user, credential: .session(found.token, expires: found.expires))
    }

    /// The user for whom an API key acts.
    private func user(_ text: String, fresh: Bool) async throws(AuthFailure) -> User {
        let found: Account?
        do {
            found = try await directory.account(directory.reference(text), fresh: fresh)
        } catch {
            throw AuthFailure(error, logger)
        }
        guard let found else {
            throw .unauthorized("X-Parley-User is not a known user; allowed are an id or a name, id:… and name:…")
        }
        try found.suspension.refuse(at: clock.milliseconds)
        return found.user
    }
}

extension Suspension? {
    /// - Parameter now: Unix milliseconds by the database's clock.
    /// - Throws: `suspended` while the suspension is in force.
    func refuse(at now: Int64) throws(AuthFailure) {
        if let self, self.isInForce(at: now) { throw .suspended(self) }
    }
}

extension AuthFailure {
    /// Maps a store error. Its text goes to the log, not to the client.
    /// - Parameter logger: `nil` if the error was logged a moment ago.
    init(_ error: StoreError, _ logger: Logger?) {
        if let logger { error.log(to: logger) }
        self = .unavailable("accounts cannot be looked up at the moment")
    }
}

/// The reason that a request was not authenticated. The texts are for the client: what was wrong, never a secret.
package enum AuthFailure: Error, Hashable, Sendable {
    /// Missing or invalid credentials: 401.
    case unauthorized(String)
    /// Valid credentials that may not be used here, such as a cookie from a foreign page: 403.
    case forbidden(String)
    /// Valid credentials of a suspended user: 403.
    case suspended(Suspension)
    /// Too many wrong passwords: 429.
    case rateLimited(retryAfterSeconds: Int)
    /// A backend is unavailable or overloaded: 503.
    case unavailable(String)
}
