package import Logging
package import ParleyModel

/// Sign-up, login and logout.
package struct Login: Sendable {
    private let accounts: any AccountStore
    private let directory: BatchedDirectory
    private let passwords: PasswordChecker
    private let throttle: SignUpThrottle
    private let devices: DeviceTokens
    private let allowsSignup: Bool
    private let allowsTokenPasswords: Bool
    private let reservedNames: ReservedNames
    private let clock: WallClock
    private let logger: Logger

    /// The lifetime of a session and of its cookie.
    package let sessionLifetime: Duration

    /// - Parameters:
    ///   - allowsTokenPasswords: whether users who come by a JWT or an API key may set a password.
    ///   - reservedNames: names that cannot be taken by signing up.
    package init(
        accounts: any AccountStore, directory: BatchedDirectory,
        passwords: PasswordChecker, throttle: SignUpThrottle, devices: DeviceTokens,
        sessionLifetime: Duration, allowsSignup: Bool, allowsTokenPasswords: Bool = false,
        reservedNames: ReservedNames = ReservedNames(),
        clock: WallClock = .system, logger: Logger
    ) {
        self.accounts = accounts
        self.directory = directory
        self.passwords = passwords
        self.throttle = throttle
        self.sessionLifetime = sessionLifetime
        self.devices = devices
        self.allowsSignup = allowsSignup
        self.allowsTokenPasswords = allowsTokenPasswords
        self.reservedNames = reservedNames
        self.clock = clock
        self.logger = logger
    }

    /// Creates a user and a session.
    /// - Parameter address: limits accounts per minute (`SignUpThrottle`); attempts for taken names count too.
    /// - Throws: `signupClosed`, `badInput`, `nameTaken`, `rateLimited`, `unavailable`.
    package func signUp(
        username: String, password: String, address: String
    ) async throws(AccountError) -> NewLogin {
        guard allowsSignup else { throw .signupClosed }
        guard let name = UsernameRules.chosen(username) else { throw .badInput(UsernameRules.explanation) }
        // Otherwise a stranger could become whom a back end means by an id that no user has yet.
        guard !directory.isAlwaysID(name) else { throw .badInput(UsernameRules.idExplanation) }
        if let violation = PasswordRules.violation(in: password) { throw .badInput(violation) }
        if let seconds = await throttle.take(from: address, at: clock.milliseconds) {
            throw .rateLimited(retryAfterSeconds: seconds)
        }
        // Otherwise the first to come would be the operator.
        let look = NameLook(of: name)
        guard !isReserved(name, look) else { throw .nameTaken }
        // Checked first because hashing is expensive; `createUser` decides between concurrent sign-ups.
        guard try await credentials(named: name) == nil, try await !isTaken(look) else { throw .nameTaken }
        let hash = try await passwords.hash(password)
        let user = User(id: UserID(UUIDv7(clock)), name: name)
        do {
            try await accounts.createUser(user, passwordHash: hash, origin: .signUp)
        } catch .taken {
            throw .nameTaken
        } catch {
            throw AccountError(error, logger)
        }
        directory.forget(user: user)
        return try await makeSession(of: Credentials(user: user, passwordHash: hash), on: nil)
    }

    /// Whether a name is an operator's, or looks like it.
    /// - Parameter look: of the name.
    package func isReserved(_ name: String, _ look: NameLook) -> Bool {
        reservedNames.contains(name) || reservedNames.areTaken(for: look)
    }

    /// Validates and hashes a password for a user.
    /// - Throws: `badInput`, `unavailable`.
    package func hash(_ password: String) async throws(AccountError) -> String {
        if let violation = PasswordRules.violation(in: password) { throw .badInput(violation) }
        return try await passwords.hash(password)
    }

    /// Creates a session.
    /// - Parameter device: the value of the device cookie, if there is one.
    /// - Throws: `wrongCredentials`, `suspended`, `rateLimited`, `unavailable`.
    package func logIn(
        username: String, password: String, address: String, device: String? = nil
    ) async throws(AccountError) -> NewLogin {
        let credentials = try await passwords.check(
            username: username, password: password, address: address, device: device.map { .cookie($0) },
            mayRemember: false)
        return try await makeSession(of: credentials, on: device)
    }

    /// Creates a session of a user whom an OpenID provider has authenticated.
    /// - Parameter device: the value of the device cookie, if there is one.
    /// - Throws: `wrongCredentials` if the user is gone; `suspended`, `unavailable`.
    func logIn(_ user: User, device: String?) async throws(AccountError) -> NewLogin {
        guard let credentials = try await credentials(named: user.name), credentials.user.id == user.id else {
            throw .wrongCredentials
        }
        if let suspension = credentials.suspension, suspension.isInForce(at: clock.milliseconds) {
            throw .suspended(suspension)
        }
        return try await makeSession(of: credentials, on: device)
    }

    /// Decides whether the user may set a password, and verifies the old one.
    ///
    /// A password outlives every other credential. So it takes a login with one to replace it, and neither a JWT, an
    /// API key, nor a ticket made with these can set any, unless a setting allows it. With the setting, there is nothing
    /// to verify for an API key, which may act for any user, or for a user without a password. A session of Django can
    /// set none even then (`StateChanges.updateAccount`).
    /// - Parameters:
    ///   - password: the old password as given; `nil` if absent. A wrong one counts as a failed login.
    ///   - device: the value of the device cookie, if there is one.
    /// - Returns: the credentials version that was checked; `nil` if it does not matter.
    /// - Throws: `passwordNotAllowed`, `wrongCredentials`, `rateLimited`, `unavailable`.
    package func confirm(
        _ identity: Identity, oldPassword password: String?, address: String, device: String? = nil
    ) async throws(AccountError) -> Int64? {
        guard allowsTokenPasswords || !identity.isVouchedFor else { throw .passwordNotAllowed }
        if case .apiKey = identity.credential { return nil }
        let name = identity.user.name
        if let known = try await credentials(named: name), known.user.id == identity.user.id, !known.hasPassword {
            guard allowsTokenPasswords else { throw .passwordNotAllowed }
            return known.credentialsVersion
        }
        var known = device.map { LoginDevice.cookie($0) }
        if let session = identity.session, !session.isForeign { known = .session(session) }
        // A missing password is checked as the empty one, which is wrong and costs the same.
        let confirmed = try await passwords.check(
            username: name, password: password ?? "", address: address, device: known, mayRemember: false)
        guard confirmed.user.id == identity.user.id else { throw .wrongCredentials }
        return confirmed.credentialsVersion
    }

    /// - Parameters:
    ///   - credentials: as they were when the password was checked.
    ///   - device: the value of the device cookie, if there is one.
    /// - Throws: `wrongCredentials` if the credentials have been replaced since; `unavailable`.
    private func makeSession(
        of credentials: Credentials, on device: String?
    ) async throws(AccountError) -> NewLogin {
        let (token, hash) = SessionTokens.make()
        let user = credentials.user
        let expires = clock.milliseconds + sessionLifetime.milliseconds
        let session = AuthSession(tokenHash: hash, user: user, expires: expires)
        let isMade: Bool
        do {
            isMade = try await accounts.createSession(session, credentialsVersion: credentials.credentialsVersion)
        } catch {
            throw AccountError(error, logger)
        }
        guard isMade else { throw .wrongCredentials }
        let known = device.flatMap { devices.read($0) }.flatMap { $0.isKnown(for: credentials) ? $0.id : nil }
        return NewLogin(
            user: user, sessionToken: token,
            deviceToken: devices.make(
                for: user.id, credentialsVersion: credentials.credentialsVersion, device: known))
    }

    private func isTaken(_ look: NameLook) async throws(AccountError) -> Bool {
        do {
            return try await directory.isTaken(look)
        } catch {
            throw AccountError(error, logger)
        }
    }

    private func credentials(named name: String) async throws(AccountError) -> Credentials? {
        do {
            return try await accounts.credentials(named: name)
        } catch {
            throw AccountError(error, logger)
        }
    }
}

/// The result of a login or a sign-up.
package struct NewLogin: Hashable, Sendable {
    package let user: User
    /// The value of the session cookie.
    package let sessionToken: String
    /// The value of the device cookie (`DeviceTokens`).
    package let deviceToken: String
}

extension Credentials {
    /// Whether a password exists: `false` for an unreadable hash, which includes `!…`, Django's notation for none.
    fileprivate var hasPassword: Bool { passwordHash.flatMap { StoredPassword($0) } != nil }
}
