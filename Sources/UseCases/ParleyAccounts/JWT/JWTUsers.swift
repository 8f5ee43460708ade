import Crypto
package import Logging
package import ParleyModel

/// Maps a JWT to its user, created at first contact if that is enabled.
///
/// The id is `sub` itself if that is a valid id, otherwise `jwt.` and its SHA-256: stable and unique to the `sub`. The
/// name of a new user is `preferred_username`, otherwise `sub`, otherwise the id; a name that is taken, reserved for
/// operators or invalid gets a suffix derived from `sub`.
package struct JWTUsers: Sendable {
    private let verifier: JWTVerifier
    private let directory: BatchedDirectory
    private let firstContact: FirstContact?
    private let clock: WallClock
    private let logger: Logger

    /// - Parameter firstContact: creates unknown users; `nil` if they are rejected.
    package init(
        verifier: JWTVerifier, directory: BatchedDirectory, firstContact: FirstContact?, clock: WallClock = .system,
        logger: Logger
    ) {
        self.verifier = verifier
        self.directory = directory
        self.firstContact = firstContact
        self.clock = clock
        self.logger = logger
    }

    /// - Parameter fresh: as in `Authenticator.authenticate`.
    /// - Throws: `unauthorized` for an invalid token or an unknown user; `suspended`, `unavailable`.
    package func identity(of token: String, fresh: Bool = true) async throws(AuthFailure) -> Identity {
        let claims: JWTClaims
        do {
            claims = try verifier.claims(of: token, at: clock.milliseconds)
        } catch {
            throw .unauthorized(error.explanation)
        }
        let found: Account?
        do throws(StoreError) {
            let id = Self.id(of: claims.subject)
            var account = try await directory.account(id, fresh: fresh)
            if account == nil {
                account = try await firstContact?.create(Self.names(for: claims).map { User(id: id, name: $0) }) {
                    () throws(StoreError) in try await directory.account(id, fresh: true)
                }
            }
            found = account
        } catch {
            throw AuthFailure(error, logger)
        }
        guard let found else { throw .unauthorized("the sub of the JWT is not a known user") }
        try found.suspension.refuse(at: clock.milliseconds)
        return Identity(
            user: found.user, credential: .jwt(expires: claims.expires), isOperatorByCredential: claims.isOperator)
    }

    /// The id of the user with this `sub`.
    package static func id(of subject: String) -> UserID {
        UserID(subject) ?? UserID(trusted: "jwt." + digest(of: subject))
    }

    /// Candidate names for a new user, in order of preference; the last ones are practically unique.
    static func names(for claims: JWTClaims) -> [String] {
        let id = id(of: claims.subject).text
        let preferred = [claims.preferredUsername, claims.subject].compactMap { $0.flatMap(UsernameRules.normalized) }
        let suffix = String(digest(of: claims.subject).prefix(12))
        let last = (preferred.first ?? id).unicodeScalars.prefix(UsernameRules.maximumScalars - 1 - suffix.utf8.count)
        return Array(preferred.prefix(1)) + ["\(String(String.UnicodeScalarView(last)))-\(suffix)", id]
    }

    private static func digest(of subject: String) -> String {
        Hex.encode(SHA256.hash(data: Array(subject.utf8)))
    }
}
