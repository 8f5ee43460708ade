import ArgumentParser
import Logging
import Metrics
import ParleyAccounts
import ParleyModel

extension DatabaseFlags {
    /// Runs `body` on the database, whose tables must be there.
    func withDatabase(_ body: (any Database) async throws -> Void) async throws {
        do {
            let database = try await address().open(
                clock: .system, logger: Logger(label: "parley"), metrics: NOOPMetricsHandler.instance)
            try await database.check()
            try await body(database)
            try await database.close()
        } catch let error as ValidationError {
            throw error
        } catch {
            throw StartFailure(error)
        }
    }
}

/// The user of a name, or else of an id.
func findUser(_ text: String, in database: any Database) async throws -> User {
    if let user = try await database.users(named: [text])[text] { return user }
    if let id = UserID(text), let user = try await database.users([id])[id] { return user }
    throw ValidationError("there is no user \(text)")
}
