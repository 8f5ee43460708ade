import Logging
import ParleyModel
import Synchronization

/// Login at an OpenID provider: authorization code with PKCE (OpenID Connect Core §3.1, RFC 7636, RFC 9700).
package struct OIDCLogin: Sendable {
    /// Where the provider sends the browser, on this server.
    package static let callbackPath = "/auth/oidc/callback"
    /// Maximum number of logins for which this node waits for the provider.
    static let maximumFinishing = 64
    /// Maximum length of a code, in bytes.
    static let maximumCodeBytes = 4096

    /// The beginning of a login.
    package struct Beginning: Sendable {
        /// The provider's page.
        package let address: String
        /// The value of the cookie.
        package let cookie: String
    }

    /// The parameters of the provider's redirect.
    package struct Callback: Sendable {
        package var state: String?
        package var code: String?
        package var error: String?
        package var issuer: String?

        package init(state: String?, code: String?, error: String?, issuer: String?) {
            self.state = state
            self.code = code
            self.error = error
            self.issuer = issuer
        }
    }

    package struct Ending: Sendable {
        package let login: NewLogin
        /// A path of this server.
        package let next: String
    }

    private let settings: OIDCSettings
    private let provider: OIDCProvider
    private let attempts: LoginAttempts
    private let users: OIDCUsers
    private let login: Login
    private let ticketStore: any TicketStore
    private let places = Places(count: OIDCLogin.maximumFinishing)
    private let clock: WallClock
    private let logger: Logger
    private let logThrottle = LogThrottle()

    init(
        settings: OIDCSettings, secret: Secret, requests: any ProviderRequests, users: OIDCUsers, login: Login,
        ticketStore: any TicketStore, clock: WallClock, logger: Logger
    ) {
        self.settings = settings
        provider = OIDCProvider(settings: settings, requests: requests, clock: clock)
        attempts = LoginAttempts(secret: secret, settings: settings, clock: clock)
        self.users = users
        self.login = login
        self.ticketStore = ticketStore
        self.clock = clock
        self.logger = logger
    }

    /// - Parameters:
    ///   - next: where the login leads.
    ///   - callback: the URL of `callbackPath`.
    /// - Throws: `badNext`, `unavailable`.
    package func begin(next: String, callback: String) async throws(OIDCFailure) -> Beginning {
        guard LocalPath.isAllowed(next) else { throw .badNext }
        let document: ProviderDocument
        do {
            document = try await provider.discover()
        } catch {
            // Even a document that is wrong may be right later, and the user can do nothing about it.
            throw failure(.unavailable(error.explanation))
        }
        let attempt = attempts.begin(next: next)
        let address = document.authorization.adding([
            ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", callback),
            ("scope", settings.scopes), ("state", attempts.state(of: attempt)), ("nonce", attempts.nonce(of: attempt)),
            ("code_challenge", LoginAttempts.challenge(of: attempts.verifier(of: attempt))),
            ("code_challenge_method", "S256"),
        ])
        return Beginning(address: address, cookie: attempts.cookie(of: attempt))
    }

    /// - Parameters:
    ///   - cookie: the cookie of the attempt, if there is one.
    ///   - address: the URL of `callbackPath`, as at the beginning.
    ///   - device: the value of the device cookie, if there is one.
    package func finish(
        _ callback: Callback, cookie: String?, at address: String, device: String?
    ) async throws(OIDCFailure) -> Ending {
        guard let attempt = cookie.flatMap({ attempts.read($0) }), let state = callback.state,
            attempts.isState(state, of: attempt)
        else {
            // Some providers leave the state out when the user declines. Nothing follows from it but a text.
            throw callback.state == nil && callback.error == "access_denied" ? OIDCFailure.denied : OIDCFailure.expired
        }
        guard let taken = places.take() else {
            throw failure(.unavailable("\(Self.maximumFinishing) logins wait for the provider"))
        }
        defer { taken.end() }
        do throws(ProviderError) {
            try await checkIssuer(callback.issuer)
        } catch {
            throw failure(error)
        }
        if let error = callback.error { throw refusal(error) }
        guard let code = callback.code, (1...Self.maximumCodeBytes).contains(code.utf8.count) else { throw .rejected }
        try await redeem(attempt)
        let user = try await user(code, attempt, address)
        do {
            return Ending(login: try await login.logIn(user, device: device), next: attempt.next)
        } catch {
            switch error {
            case .wrongCredentials: throw .noAccount
            case .suspended(let suspension): throw .suspended(suspension)
            default: throw .unavailable
            }
        }
    }

    /// A redirect that names another provider belongs to a request to that one (RFC 9207, mix-up).
    private func checkIssuer(_ named: String?) async throws(ProviderError) {
        if named == nil, try await !provider.discover().namesItself { return }
        guard let named, named.utf8.elementsEqual(settings.issuer.text.utf8) else {
            throw .invalid("the redirect does not name the issuer, although it should")
        }
    }

    /// An attempt can be finished once, on any node.
    private func redeem(_ attempt: LoginAttempt) async throws(OIDCFailure) {
        let isFirst: Bool
        do {
            isFirst = try await ticketStore.redeem("oidc." + Base64URL.encode(attempt.seed), until: attempt.expiry)
        } catch {
            throw .unavailable
        }
        guard isFirst else { throw .expired }
    }

    private func user(_ code: String, _ attempt: LoginAttempt, _ address: String) async throws(OIDCFailure) -> User {
        let tokens: ProviderTokens
        let claims: ProviderClaims
        do throws(ProviderError) {
            tokens = try await provider.tokens(for: code, verifier: attempts.verifier(of: attempt), callback: address)
            claims = try await provider.claims(of: tokens.idToken, nonce: attempts.nonce(of: attempt))
        } catch {
            throw failure(error)
        }
        do {
            if let user = try await users.existing(claims.subject) { return user }
            if let user = try await users.create(claims.subject, named: try await name(of: claims, tokens)) {
                return user
            }
        } catch let error as ProviderError {
            throw failure(error)
        } catch {
            (error as? StoreError)?.log(to: logger)
            throw .unavailable
        }
        throw .noAccount
    }

    /// The provider's name for a new user: in the ID token, or else in the user info; as a last resort `sub`.
    private func name(of claims: ProviderClaims, _ tokens: ProviderTokens) async throws(ProviderError) -> String {
        if let name = claims.text(settings.usernameClaim) { return name }
        let info = try await provider.userInfo(tokens, of: claims.subject)
        return info?.text(settings.usernameClaim) ?? claims.subject
    }

    /// The `error` of a redirect (RFC 6749 §4.1.2.1).
    private func refusal(_ error: String) -> OIDCFailure {
        switch error {
        case "access_denied", "login_required", "interaction_required", "consent_required",
            "account_selection_required":
            .denied
        case "temporarily_unavailable", "server_error": failure(.unavailable("the provider reports \(error)"))
        default: failure(.invalid("the provider reports \(error.prefix(64))"))
        }
    }

    private func failure(_ error: ProviderError) -> OIDCFailure {
        // Anyone can begin a login, and the causes are few.
        if logThrottle.allow(error.explanation, at: clock.milliseconds) {
            logger.warning("login at the OpenID provider failed", metadata: ["reason": "\(error.explanation)"])
        }
        switch error {
        case .unavailable: return .unavailable
        case .invalid: return .rejected
        }
    }
}

/// A limited number of places; a call holds one at a time.
final class Places: Sendable {
    private let free: Mutex<Int>

    init(count: Int) {
        free = Mutex(count)
    }

    struct Place: Sendable {
        fileprivate let places: Places

        func end() { places.free.withLock { $0 += 1 } }
    }

    /// - Returns: `nil` if all are taken.
    func take() -> Place? {
        let isTaken = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isTaken ? Place(places: self) : nil
    }
}
