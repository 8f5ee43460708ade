package import ParleyModel

/// All settings of identity and accounts. A plain value, which the program reads from flags, environment and file.
package struct AccountSettings: Sendable {
    /// The default cost of password hashes.
    package static let standardPasswordIterations = 600_000

    /// Signs tickets (`PARLEY_SECRET`); at least `Tickets.minimumSecretBytes`. All nodes share one.
    package var secret: Secret
    /// The lifetime of a login.
    package var sessionLifetime: Duration = .seconds(14 * 24 * 60 * 60)
    /// The cookie that carries the session token.
    package var sessionCookie = "sessionid"
    /// Whether users may sign up (`PARLEY_AUTH_SIGNUP`).
    package var allowsSignup = true
    /// Whether users who come by a JWT or an API key may set a password (`PARLEY_AUTH_TOKEN_PASSWORDS`).
    package var allowsTokenPasswords = false
    /// Names of operators (`PARLEY_AUTH_ADMINS`), normalised; no other user can take one. They grant rights only to
    /// accounts of a trusted origin (`AccountOrigin.isOwn`).
    package var admins: Set<String> = []
    /// The texts that are always ids of users, and that sign-up refuses as names (`PARLEY_USERS_ID_FORM`).
    package var idForm = UserIDForm.standard
    /// Cost of new password hashes (`PARLEY_AUTH_PBKDF2_ITERATIONS`), 1 to `StoredPassword.maximumIterations`.
    package var passwordIterations = standardPasswordIterations
    /// Maximum number of concurrent password checks; `nil` means one less than the number of cores, at least 1.
    package var passwordWorkers: Int?
    /// Maximum number of waiting password checks; more fail as `unavailable`.
    package var passwordQueue = 256
    /// Cache lifetime of verified `Basic` passwords, at most 60 s; 0 turns the cache off.
    package var basicMemory: Duration = .seconds(60)
    /// Maximum number of cached `Basic` passwords.
    package var basicMemoryEntries = 10_000
    /// The lifetime of a one-time ticket.
    package var ticketLifetime: Duration = .seconds(30)
    /// The lifetime of a resume ticket; at most `Tickets.longestResume`.
    package var resumeTicketLifetime = Tickets.longestResume
    /// Pages of other hosts that may authenticate with the cookie (`PARLEY_ALLOWED_ORIGINS`).
    package var origins = OriginPolicy()
    package var apiKeys = APIKeys()
    /// `nil` accepts no JWT.
    package var jwt: JWTSettings?
    /// `nil` accepts no Django session.
    package var django: DjangoSettings?
    /// `nil` without a login at an OpenID provider.
    package var oidc: OIDCSettings?
    package var directory = DirectorySettings()
    package var limits = Limits()

    package init(secret: Secret) {
        self.secret = secret
    }
}
