package import Logging
package import ParleyModel

/// Maps a Django user to the Parley user of the same username, created at first contact.
///
/// A new user has the primary key as id, as `docs/django.md` recommends for imports and JWTs, or a generated id if that
/// one is taken. A username that Parley would normalise differently (Django leaves that to its forms) is rejected: two
/// Django users must never be one Parley user.
package struct DjangoUsers: Sendable {
    private let directory: BatchedDirectory
    private let firstContact: FirstContact
    private let clock: WallClock
    private let logger: Logger
    private let logThrottle = LogThrottle()

    package init(
        directory: BatchedDirectory, firstContact: FirstContact, clock: WallClock = .system, logger: Logger
    ) {
        self.directory = directory
        self.firstContact = firstContact
        self.clock = clock
        self.logger = logger
    }

    /// - Parameter key: the primary key.
    func account(of siteUser: DjangoUser, key: String) async throws(StoreError) -> Account? {
        let name = siteUser.username
        guard let normal = UsernameRules.normalized(name), normal.utf8.elementsEqual(name.utf8) else {
            if logThrottle.allow("username", at: clock.milliseconds) {
                logger.notice(
                    "Django session rejected: its username is not allowed",
                    metadata: ["key": "\(key)", "allowed": "\(UsernameRules.explanation)"])
            }
            return nil
        }
        // Not cached: a user erased a moment ago must not reappear.
        func existing() async throws(StoreError) -> Account? { try await directory.account(named: name, fresh: true) }
        if let account = try await existing() { return account }
        let ids = [UserID(key), UserID(UUIDv7(clock))].compactMap(\.self)
        return try await firstContact.create(ids.map { User(id: $0, name: name) }, or: existing)
    }
}
