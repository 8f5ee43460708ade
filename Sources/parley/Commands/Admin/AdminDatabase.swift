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
        throw ValidationError(error.cause.map { "\(error.message): \($0)" } ?? error.message)
    }
}

/// The user whom an argument names: an id, otherwise a name, as everywhere (`UserReference`).
func findUser(
    _ text: String, in database: any Database, settings source: DatabaseFlags
) async throws -> User {
    let directory = BatchedDirectory(database, idForm: try await source.idForm())
    if let user = try await directory.user(directory.reference(text)) { return user }
    let isID = try await source.idForm().contains(text)
    throw ValidationError(
        isID
            ? "no user has the id \(text); a name of this form is given as name:\(text)"
            : "no user has the name or id \(text)")
}
