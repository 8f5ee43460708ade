package import Logging
package import ParleyModel

/// Signing up, in and out.
package struct Login: Sendable {
    private let accounts: any AccountStore
    private let directory: BatchedDirectory
    private let bus: any ThreadBus
    private let revocations: (any RevocationLedger)?
    private let passwords: PasswordChecker
    private let allowsSignup: Bool
    private let reservedNames: Set<String>
    private let clock: WallClock
    private let logger: Logger

    /// How long a session lasts; the cookie's age.
    package let sessionLifetime: Duration

    /// - Parameter reservedNames: users that nobody makes by signing up.
    package init(
        accounts: any AccountStore, directory: BatchedDirectory, bus: any ThreadBus,
        revocations: (any RevocationLedger)? = nil, passwords: PasswordChecker, sessionLifetime: Duration,
        allowsSignup: Bool, reservedNames: Set<String> = [], clock: WallClock = .system, logger: Logger
    ) {
        self.accounts = accounts
        self.directory = directory
        self.bus = bus
        self.revocations = revocations
        self.passwords = passwords
        self.sessionLifetime = sessionLifetime
        self.allowsSignup = allowsSignup
        self.reservedNames = reservedNames
        self.clock = clock
        self.logger = logger
    }

    /// Makes a user and a session of it.
    /// - Parameter address: not limited by address so far; sign-ups are held back by the queue of the workers.
    /// - Throws: `signupClosed`, `badInput`, `nameTaken`, `unavailable`.
    package func signUp(
        username: String, password: String, address: String
    ) async throws(AccountError) -> (user: User, sessionToken: String) {
        guard allowsSignup else { throw .signupClosed }
        guard let name = UsernameRules.normalized(username) else { throw .badInput(UsernameRules.explanation) }
        if let flaw = PasswordRules.flaw(in: password) { throw .badInput(flaw) }
        // Whoever came first would be the operator.
        guard !reservedNames.contains(name) else { throw .nameTaken }
        // Asked first because hashing is what costs; who is faster is decided by `createUser`.
        guard try await credentials(named: name) == nil else { throw .nameTaken }
        let hash = try await passwords.hash(password)
        let user = User(id: UserID(UUIDv7(clock)), name: name)
        do {
            try await accounts.createUser(user, passwordHash: hash)
        } catch .taken {
            throw .nameTaken
        } catch {
            throw AccountError(error, logger)
        }
        directory.forget(user: user)
        return (user, try await makeSession(of: user))
    }

    /// The hash of a password that somebody else has chosen for a user.
    /// - Throws: `badInput`, `unavailable`.
    package func hash(_ password: String) async throws(AccountError) -> String {
        if let flaw = PasswordRules.flaw(in: password) { throw .badInput(flaw) }
        return try await passwords.hash(password)
    }

    /// Makes a session.
    /// - Throws: `wrongCredentials`, `rateLimited`, `unavailable`.
    package func logIn(
        username: String, password: String, address: String
    ) async throws(AccountError) -> (user: User, sessionToken: String) {
        let user = try await passwords.check(
            username: username, password: password, address: address, mayRemember: false)
        return (user, try await makeSession(of: user))
    }

    /// Ends a session: in the store, here, and by a control event on every node that has sockets of the user.
    /// - Parameter token: the value of the cookie.
    /// - Returns: whose it was; `nil` if it is no session of ours.
    /// - Throws: `unavailable`.
    package func logOut(_ token: String) async throws(AccountError) -> UserID? {
        guard SessionTokens.isToken(token) else { return nil }
        let hash = SessionTokens.hash(of: token)
        let user: UserID?
        do {
            user = try await accounts.revokeSession(hash)
        } catch {
            throw AccountError(error, logger)
        }
        guard let user else { return nil }
        await announce([hash], of: user)
        return user
    }

    /// Sessions of a user are void in the store: makes them void everywhere else, here, in resume tickets, and by a
    /// control event on every node that has sockets of the user. For every caller that ends sessions.
    /// - Parameter isErased: all else that the user has is void too, such as a resume ticket made with a password.
    package func announce(_ revoked: [TokenHash], of user: UserID, isErased: Bool = false) async {
        let expiry = clock.milliseconds + Revocation.ticketLifetime.milliseconds
        // Before the event: a socket that hears nothing of it yet finds it in the ledger.
        if let revocations {
            let entries = revoked.map { Revocation.session($0) } + (isErased ? [.user(user)] : [])
            await withTaskGroup(of: Void.self) { group in
                for entry in entries { group.addTask { await revocations.revoke(entry, until: expiry) } }
            }
        }
        for hash in revoked {
            directory.invalidate(.sessionRevoked(hash), of: user)
            bus.publish(.sessionRevoked(hash), to: user)
        }
    }

    private func makeSession(of user: User) async throws(AccountError) -> String {
        let (token, hash) = SessionTokens.make()
        let expires = clock.milliseconds + sessionLifetime.milliseconds
        do {
            try await accounts.createSession(AuthSession(tokenHash: hash, user: user, expires: expires))
        } catch {
            throw AccountError(error, logger)
        }
        return token
    }

    private func credentials(named name: String) async throws(AccountError) -> Credentials? {
        do {
            return try await accounts.credentials(named: name)
        } catch {
            throw AccountError(error, logger)
        }
    }
}
