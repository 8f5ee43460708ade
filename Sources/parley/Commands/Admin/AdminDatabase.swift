import ArgumentParser
import Logging
import Metrics
import ParleyAccounts
import ParleyMessaging
import ParleyModel

extension DatabaseFlags {
    /// Runs `body` on the database, whose tables must exist.
    func withDatabase(_ body: (any Database) async throws -> Void) async throws {
        do {
            let clock = DatabaseClock()
            let database = try await address().open(
                clock: clock.wall, logger: Logger(label: "parley"), metrics: NOOPMetricsHandler.instance)
            try await database.check()
            try await clock.compare { try await database.databaseMilliseconds() }
            try await body(database)
            try await database.close()
        } catch let error as ValidationError {
            throw error
        } catch {
            throw StartFailure(error)
        }
    }
}

/// Runs a use case on the database, and shows the reason of a rejection.
///
/// The command reaches neither the logs nor the nodes: persisters relay the outbox, and nodes read the change feed,
/// both within seconds.
func change<Value>(
    _ database: any Database, settings source: DatabaseFlags, _ body: (StateChanges) async throws -> Value
) async throws -> Value {
    let hasher = PasswordHasher(iterations: try await source.passwordIterations())
    let changes = StateChanges(
        store: database, accounts: database, directory: BatchedDirectory(database), relay: nil, bus: nil,
        hash: { password throws(AccountError) in
            if let violation = PasswordRules.violation(in: password) { throw .badInput(violation) }
            guard let hash = hasher.hash(password) else { throw .unavailable("the password could not be hashed") }
            return hash
        }, logger: Logger(label: "parley"))
    do {
        return try await body(changes)
    } catch let error as MessagingError {
        switch error {
        case .invalid(let reason), .tooLarge(let reason), .notFound(let reason), .forbidden(let reason),
            .conflict(let reason), .unavailable(let reason):
            throw ValidationError(reason)
        case .notAMember, .rateLimited: throw ValidationError("\(error)")
        }
    }
}

/// The user with a name or an id.
/// - Throws: also if the text is the name of one user and the id of another, who may have chosen it as a name in order
///   to be mistaken for the other.
func findUser(_ text: String, in database: any Database) async throws -> User {
    let named = try await database.users(named: [text])[text]
    var owner: User?
    if let id = UserID(text) { owner = try await database.users([id])[id] }
    switch (named, owner) {
    case (let user?, nil), (nil, let user?): return user
    case (let named?, let owner?) where named == owner: return named
    case (let named?, let owner?):
        throw ValidationError(
            "\(text) is the name of the user with the id \(named.id) and the id of the user named \(owner.name); use the "
                + "other of the two to choose one")
    case (nil, nil): throw ValidationError("no user has the name or id \(text)")
    }
}
