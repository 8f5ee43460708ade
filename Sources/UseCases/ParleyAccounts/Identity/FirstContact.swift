package import Logging
package import ParleyModel

/// Creates the user of an identity that another system vouches for, when it is met for the first time.
package struct FirstContact: Sendable {
    private let origin: AccountOrigin
    private let accounts: any AccountStore
    private let directory: BatchedDirectory
    private let reservedNames: ReservedNames
    private let logger: Logger

    /// - Parameter reservedNames: names that no such user gets.
    package init(
        origin: AccountOrigin, accounts: any AccountStore, directory: BatchedDirectory,
        reservedNames: ReservedNames = ReservedNames(), logger: Logger
    ) {
        self.origin = origin
        self.accounts = accounts
        self.directory = directory
        self.reservedNames = reservedNames
        self.logger = logger
    }

    /// Creates the first candidate whose id and name are free.
    /// - Parameter existing: reads the user, whom another node may have created by now.
    /// - Returns: `nil` if no candidate is free.
    func create(
        _ candidates: [User], or existing: () async throws(StoreError) -> Account?
    ) async throws(StoreError) -> Account? {
        for user in candidates where !reservedNames.contains(user.name) {
            do {
                try await accounts.createUser(user, passwordHash: nil, origin: origin)
                directory.forget(user: user)
                logger.info(
                    "user created at first contact", metadata: ["user": "\(user.id)", "origin": "\(origin.rawValue)"])
                return Account(user)
            } catch .taken {
                if let account = try await existing() { return account }
            }
        }
        return nil
    }
}
