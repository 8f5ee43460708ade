package import Logging
package import ParleyModel

/// Maps a Django user to the Parley user of the same username, created at first contact.
///
/// A new user has the primary key as id, as `docs/django.md` recommends for imports and JWTs, or a generated id if that
/// one is taken. A username that Parley would normalise differently (Django leaves that to its forms) is rejected: two
/// Django users must never be one Parley user.
package struct DjangoUsers: Sendable {
    private let accounts: any AccountStore
    private let directory: BatchedDirectory
    private let reservedNames: ReservedNames
    private let clock: WallClock
    private let logger: Logger
    private let logThrottle = LogThrottle()

    package init(
        accounts: any AccountStore, directory: BatchedDirectory,
        reservedNames: ReservedNames = ReservedNames(), clock: WallClock = .system, logger: Logger
    ) {
        self.accounts = accounts
        self.directory = directory
        self.reservedNames = reservedNames
        self.clock = clock
        self.logger = logger
    }

    /// - Parameter key: the primary key.
    func user(of siteUser: DjangoUser, key: String) async throws(StoreError) -> User? {
        let name = siteUser.username
        guard let normal = UsernameRules.normalized(name), normal.utf8.elementsEqual(name.utf8) else {
            if logThrottle.allow("username", at: clock.milliseconds) {
                logger.notice(
                    "a Django user has a username that Parley does not allow",
                    metadata: ["key": "\(key)", "allowed": "\(UsernameRules.explanation)"])
            }
            return nil
        }
        // Not cached: a user erased a moment ago must not reappear.
        if let user = try await directory.user(named: name, fresh: true) { return user }
        // A Django user with an operator's name is not created here.
        guard !reservedNames.contains(name) else { return nil }
        for id in [UserID(key), UserID(UUIDv7(clock))].compactMap(\.self) {
            let user = User(id: id, name: name)
            do {
                try await accounts.createUser(user, passwordHash: nil, origin: .django)
                directory.forget(user: user)
                logger.info("user created from a Django session", metadata: ["user": "\(id)"])
                return user
            } catch .taken {
                // The id is taken, or another node has just created the same user.
                if let existing = try await directory.user(named: name, fresh: true) { return existing }
            }
        }
        return nil
    }
}
