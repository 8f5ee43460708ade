import Crypto
package import Logging
package import ParleyModel

/// The user behind a JWT, made at first contact if that is allowed.
///
/// The id is `sub` itself if it can be one, else `jwt.` and its SHA-256: a fixed id, that no other `sub` has. The name
/// of a new user is `preferred_username`, else `sub`, else the id; one that is taken, an operator's or no user name
/// gets a suffix made from `sub`.
package struct JWTUsers: Sendable {
    private let verifier: JWTVerifier
    private let createsUsers: Bool
    private let accounts: any AccountStore
    private let directory: BatchedDirectory
    private let reservedNames: ReservedNames
    private let clock: WallClock
    private let logger: Logger

    package init(
        verifier: JWTVerifier, createsUsers: Bool, accounts: any AccountStore, directory: BatchedDirectory,
        reservedNames: ReservedNames = ReservedNames(), clock: WallClock = .system, logger: Logger
    ) {
        self.verifier = verifier
        self.createsUsers = createsUsers
        self.accounts = accounts
        self.directory = directory
        self.reservedNames = reservedNames
        self.clock = clock
        self.logger = logger
    }

    /// - Parameter fresh: as `Authenticator.authenticate`.
    /// - Throws: `unauthorized` for a token that does not count or an unknown user; `unavailable`.
    package func identity(of token: String, fresh: Bool = true) async throws(AuthFailure) -> Identity {
        let claims: JWTClaims
        do {
            claims = try verifier.claims(of: token, at: clock.milliseconds)
        } catch {
            throw .unauthorized(error.explanation)
        }
        do {
            let id = Self.id(of: claims.subject)
            var user = try await directory.user(id, fresh: fresh)
            if user == nil, createsUsers { user = try await create(id, claims) }
            guard let user else { throw AuthFailure.unauthorized("the sub of the JWT is no user") }
            return Identity(
                user: user, credential: .jwt(expires: claims.expires), isOperatorByCredential: claims.isOperator)
        } catch let failure as AuthFailure {
            throw failure
        } catch let error as StoreError {
            throw AuthFailure(error, logger)
        } catch {
            throw .unavailable("accounts cannot be looked up at the moment")
        }
    }

    /// The id of the user with this `sub`.
    package static func id(of subject: String) -> UserID {
        UserID(subject) ?? UserID(trusted: "jwt." + digest(of: subject))
    }

    /// The names to try for a new user, in order; the last ones are as good as certain to be free.
    static func names(for claims: JWTClaims) -> [String] {
        let id = id(of: claims.subject).text
        let wishes = [claims.preferredUsername, claims.subject].compactMap { $0.flatMap(UsernameRules.normalized) }
        let suffix = String(digest(of: claims.subject).prefix(12))
        let last = (wishes.first ?? id).unicodeScalars.prefix(UsernameRules.maximumScalars - 1 - suffix.utf8.count)
        return Array(wishes.prefix(1)) + ["\(String(String.UnicodeScalarView(last)))-\(suffix)", id]
    }

    private func create(_ id: UserID, _ claims: JWTClaims) async throws(StoreError) -> User? {
        for name in Self.names(for: claims) where !reservedNames.contains(name) {
            let user = User(id: id, name: name)
            do {
                try await accounts.createUser(user, passwordHash: nil, origin: .jwt)
                directory.forget(user: user)
                logger.info("user made from JWT", metadata: ["user": "\(id)"])
                return user
            } catch .taken {
                // The name is another's, or another node has just made the same user.
                if let existing = try await directory.user(id, fresh: true) { return existing }
            }
        }
        return nil
    }

    private static func digest(of subject: String) -> String {
        Hex.encode(SHA256.hash(data: Array(subject.utf8)))
    }
}
