package import Logging
package import ParleyModel

/// Checks a name and a password, as `POST /auth/login` and `Basic` do.
///
/// Wrong ones count against the account and the address, over all nodes (`LoginGuard`). Unknown names, users without a password and
/// unreadable hashes cost the same time as a wrong password. The limits are looked at again when the hash is about to
/// be computed, so guesses in parallel get past a limit by one less than there are workers, at most.
package struct PasswordChecker: Sendable {
    private enum Verdict: Sendable {
        case right, wrong
        case limited(retryAfterSeconds: Int)
    }

    /// Makes the hashes of new passwords.
    let hasher: PasswordHasher
    let workers: PasswordWorkers
    private let accounts: any AccountStore
    private let guardian: LoginGuard
    private let memory: VerifiedPasswords
    private let clock: WallClock
    private let logger: Logger

    package init(
        accounts: any AccountStore, hasher: PasswordHasher, workers: PasswordWorkers, guardian: LoginGuard,
        memory: VerifiedPasswords, clock: WallClock = .system, logger: Logger
    ) {
        self.accounts = accounts
        self.hasher = hasher
        self.workers = workers
        self.guardian = guardian
        self.memory = memory
        self.clock = clock
        self.logger = logger
    }

    /// The user of this name and password, as the store has them.
    /// - Parameters:
    ///   - username: as typed; normalised here.
    ///   - mayRemember: a password that was right within the last minute costs no hash; the limits hold all the same.
    /// - Throws: `wrongCredentials`, `rateLimited`, `unavailable`.
    package func check(
        username: String, password: String, address: String, mayRemember: Bool
    ) async throws(AccountError) -> Credentials {
        let name = UsernameRules.normalized(username)
        let attempt = LoginThrottle.Attempt(account: name, address: address)
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
                // Another request with the same password was checked while this one waited.
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
            logger.debug("login refused", metadata: ["address": "\(address)"])
            throw .wrongCredentials
        case .limited(let seconds):
            throw .rateLimited(retryAfterSeconds: seconds)
        }
    }

    /// The hash of a new password.
    /// - Throws: `unavailable`.
    func hash(_ password: String) async throws(AccountError) -> String {
        let hash = try await workers.work(.new) { [hasher] in hasher.hash(password) }
        guard let hash else { throw .unavailable("the password cannot be hashed") }
        return hash
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

extension PasswordWorkers {
    /// `run`, refusing as the use cases do.
    fileprivate func work<Value: Sendable>(
        _ kind: Kind, _ work: @escaping @Sendable () -> Value
    ) async throws(AccountError) -> Value {
        do {
            return try await run(kind, work)
        } catch {
            switch error {
            case .busy: throw .unavailable("too many passwords wait to be hashed")
            case .shutDown: throw .unavailable("this node is going")
            }
        }
    }
}
