package import Logging
package import ParleyModel

/// The Parley user of a Django user: the one of the same username, made at first contact.
///
/// A new user has the primary key as its id, as `docs/django.md` recommends for imports and JWTs, or a fresh id if
/// somebody else has that one. A username that Parley would write otherwise (Django leaves that to its forms) is nobody:
/// two of Django's users must never be one of Parley's.
package struct DjangoUsers: Sendable {
    private let accounts: any AccountStore
    private let directory: BatchedDirectory
    private let reservedNames: ReservedNames
    private let clock: WallClock
    private let logger: Logger
    private let notices = LogThrottle()

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
            if notices.allow("username", at: clock.milliseconds) {
                logger.notice(
                    "a Django user has a username that Parley does not allow",
                    metadata: ["key": "\(key)", "allowed": "\(UsernameRules.explanation)"])
            }
            return nil
        }
        // Not from memory: who was erased a moment ago must not be met again.
        if let user = try await directory.user(named: name, fresh: true) { return user }
        // Who has an operator's name over there is not made one here.
        guard !reservedNames.contains(name) else { return nil }
        for id in [UserID(key), UserID(UUIDv7(clock))].compactMap(\.self) {
            let user = User(id: id, name: name)
            do {
                try await accounts.createUser(user, passwordHash: nil, origin: .django)
                directory.forget(user: user)
                logger.info("user made from a Django session", metadata: ["user": "\(id)"])
                return user
            } catch .taken {
                // The id is another's, or another node has just made the same user.
                if let existing = try await directory.user(named: name, fresh: true) { return existing }
            }
        }
        return nil
    }
}
