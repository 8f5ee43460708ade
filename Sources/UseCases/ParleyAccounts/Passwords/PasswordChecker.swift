package import Logging
package import ParleyModel

/// Checks a name and a password, for `POST /auth/login` and `Basic`.
///
/// Failures count against the account and the address, or against the known device, over all nodes (`LoginGuard`).
/// Unknown names, users without a password and unreadable hashes take as long as a wrong password. The limits are
/// checked again just before the hash is computed, so parallel guesses exceed a limit by at most one less than the
/// number of workers.
package struct PasswordChecker: Sendable {
    private enum Verdict: Sendable {
        case right, wrong
        case limited(retryAfterSeconds: Int)
    }

    /// Hashes new passwords.
    let hasher: PasswordHasher
    let workers: PasswordWorkers
    private let accounts: any AccountStore
    private let guardian: LoginGuard
    private let devices: DeviceTokens
    private let memory: VerifiedPasswords
    private let clock: WallClock
    private let logger: Logger

    package init(
        accounts: any AccountStore, hasher: PasswordHasher, workers: PasswordWorkers, guardian: LoginGuard,
        devices: DeviceTokens, memory: VerifiedPasswords, clock: WallClock = .system, logger: Logger
    ) {
        self.accounts = accounts
        self.hasher = hasher
        self.workers = workers
        self.guardian = guardian
        self.devices = devices
        self.memory = memory
        self.clock = clock
        self.logger = logger
    }

    /// The user with this name and password, as stored.
    /// - Parameters:
    ///   - username: as typed; normalised here.
    ///   - device: by what the device may be known.
    ///   - mayRemember: a password that was right within the last minute costs no hash; the limits apply nevertheless.
    /// - Throws: `wrongCredentials`, `rateLimited`, `unavailable`; `suspended` only for the right password.
    package func check(
        username: String, password: String, address: String, device: LoginDevice? = nil, mayRemember: Bool
    ) async throws(AccountError) -> Credentials {
        let credentials = try await verified(
            username: username, password: password, address: address, device: device, mayRemember: mayRemember)
        if let suspension = credentials.suspension, suspension.isInForce(at: clock.milliseconds) {
            throw .suspended(suspension)
        }
        return credentials
    }

    private func verified(
        username: String, password: String, address: String, device: LoginDevice?, mayRemember: Bool
    ) async throws(AccountError) -> Credentials {
        let name = UsernameRules.normalized(username)
        var known: String?
        switch device {
        case .session(let session): known = "session:\(session)"
        // Only a device that has logged in before causes a look-up.
        case .cookie(let text): if let token = devices.read(text) { known = try await self.known(token, name) }
        case nil: break
        }
        let attempt = LoginThrottle.Attempt(account: name, address: address, device: known)
        await guardian.refresh(attempt, at: clock.milliseconds)
        if let seconds = guardian.retryAfterSeconds(attempt, at: clock.milliseconds) {
            throw .rateLimited(retryAfterSeconds: seconds)
        }
        guard password.utf8.count <= PasswordRules.maximumBytes else {
            guardian.failed(attempt, at: clock.milliseconds)
            await guardian.share(attempt, at: clock.milliseconds)
            throw .wrongCredentials
        }
        let credentials = try await credentials(name)
        let stored = credentials?.passwordHash.flatMap { text in StoredPassword(text).map { (text: text, value: $0) } }
        if mayRemember, let credentials, let stored,
            memory.contains(credentials.user.name, password, stored: stored.text, at: clock.milliseconds)
        {
            return credentials
        }
        let verdict = try await workers.work(.check) { [guardian, memory, clock, decoy = hasher.decoy] () -> Verdict in
            if let seconds = guardian.retryAfterSeconds(attempt, at: clock.milliseconds) {
                return .limited(retryAfterSeconds: seconds)
            }
            if mayRemember, let credentials, let stored,
                memory.contains(credentials.user.name, password, stored: stored.text, at: clock.milliseconds)
            {
                // Another request verified the same password while this one waited.
                return .right
            }
            let isRight = PasswordHasher.verify(password, against: stored?.value ?? decoy)
            guard isRight, let credentials, let stored else {
                guardian.failed(attempt, at: clock.milliseconds)
                return .wrong
            }
            memory.insert(credentials.user.name, password, stored: stored.text, at: clock.milliseconds)
            return .right
        }
        switch verdict {
        case .right:
            guard let credentials else { throw .wrongCredentials }
            return credentials
        case .wrong:
            await guardian.share(attempt, at: clock.milliseconds)
            logger.debug("login rejected", metadata: ["address": "\(address)"])
            throw .wrongCredentials
        case .limited(let seconds):
            throw .rateLimited(retryAfterSeconds: seconds)
        }
    }

    /// Hashes a new password.
    /// - Throws: `unavailable`.
    func hash(_ password: String) async throws(AccountError) -> String {
        let hash = try await workers.work(.new) { [hasher] in hasher.hash(password) }
        guard let hash else { throw .unavailable("the password cannot be hashed") }
        return hash
    }

    /// The id of a device if it is known for the user of this name.
    private func known(_ device: KnownDevice, _ name: String?) async throws(AccountError) -> String? {
        guard let credentials = try await credentials(name), device.isKnown(for: credentials) else { return nil }
        return device.id
    }

    private func credentials(_ name: String?) async throws(AccountError) -> Credentials? {
        guard let name else { return nil }
        do {
            return try await accounts.credentials(named: name)
        } catch {
            throw AccountError(error, logger)
        }
    }
}

/// By what the device of a login may be known; see `LoginThrottle`.
package enum LoginDevice: Hashable, Sendable {
    /// The value of the device cookie, not verified.
    case cookie(String)
    /// A valid session of Parley's own, of the user whose password is checked.
    case session(TokenHash)
}

extension PasswordWorkers {
    /// `run`, with rejections mapped to `AccountError`.
    fileprivate func work<Value: Sendable>(
        _ kind: Kind, _ work: @escaping @Sendable () -> Value
    ) async throws(AccountError) -> Value {
        do {
            return try await run(kind, work)
        } catch {
            switch error {
            case .busy: throw .unavailable("too many passwords are waiting to be hashed")
            case .shutDown: throw .unavailable("this node is shutting down")
            }
        }
    }
}
