package import ParleyModel

/// Everything that can be set about identity. A plain value: the program reads it from flags, environment and file.
package struct AccountSettings: Sendable {
    /// What a password hash costs if nothing else is said.
    package static let standardPasswordIterations = 600_000

    /// Signs tickets (`PARLEY_SECRET`); at least `Tickets.minimumSecretBytes`. All nodes share one.
    package var secret: Secret
    /// How long a login lasts.
    package var sessionLifetime: Duration = .seconds(14 * 24 * 60 * 60)
    /// The cookie that carries the session token.
    package var sessionCookie = "sessionid"
    /// Whether strangers may make an account (`PARLEY_AUTH_SIGNUP`).
    package var allowsSignup = true
    /// Names of operators (`PARLEY_AUTH_ADMINS`), normalised; nobody takes one. Only accounts of an own origin count.
    package var admins: Set<String> = []
    /// Cost of new password hashes (`PARLEY_AUTH_PBKDF2_ITERATIONS`), 1 to `StoredPassword.maximumIterations`.
    package var passwordIterations = standardPasswordIterations
    /// Passwords checked at the same time; `nil` means one less than the machine has cores, at least 1.
    package var passwordWorkers: Int?
    /// Passwords that wait for a check; more are `unavailable`.
    package var passwordQueue = 256
    /// How long a `Basic` password that was right is remembered, at most 60 s; 0 turns it off.
    package var basicMemory: Duration = .seconds(60)
    /// How many right `Basic` passwords are remembered.
    package var basicMemoryEntries = 10_000
    /// How long a one-time ticket can be redeemed.
    package var ticketLifetime: Duration = .seconds(30)
    /// How long a resume ticket can be used; at most `Tickets.longestResume`.
    package var resumeTicketLifetime = Tickets.longestResume
    /// Pages of other hosts that may use the cookie (`PARLEY_ALLOWED_ORIGINS`).
    package var origins = OriginPolicy()
    package var apiKeys = APIKeys()
    /// `nil`: no JWT is accepted.
    package var jwt: JWTSettings?
    /// `nil`: no session of Django is accepted.
    package var django: DjangoSettings?
    package var directory = DirectorySettings()
    package var limits = Limits()

    package init(secret: Secret) {
        self.secret = secret
    }
}
