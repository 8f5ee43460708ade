import ArgumentParser
import Logging
import Metrics
import ParleyAccounts
import ParleyMessaging
import ParleyModel

extension DatabaseFlags {
    /// Runs `body` on the database, whose tables must exist: for keys and lists, which no use case has. All else goes
    /// through `withMessaging`.
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

    /// Runs use cases on the database, and shows the reason of a rejection.
    ///
    /// The command reaches neither the logs nor the nodes: persisters relay the outbox, and nodes read the change feed,
    /// both within seconds.
    func withMessaging(_ body: (Messaging) async throws -> Void) async throws {
        try await withDatabase { database in
            do {
                try await body(try await messaging(on: database))
            } catch let error as MessagingError {
                throw ValidationError(error.cause.map { "\(error.message): \($0)" } ?? error.message)
            }
        }
    }

    private func messaging(on database: any Database) async throws -> Messaging {
        let logger = Logger(label: "parley")
        let hasher = PasswordHasher(iterations: try await passwordIterations())
        // Commands append nothing, and no socket listens.
        let backend = MemoryBackend(store: database, clock: .system, logger: logger)
        return Messaging(
            MessagingPorts(
                log: backend.log, bus: backend.bus, store: database, state: database, accounts: database,
                directory: BatchedDirectory(database, idForm: try await idForm()), readMarks: backend.readMarks,
                events: database, webhookNetworks: try await webhookNetworks()),
            budgets: Budgets(BudgetSettings(limits: Limits(), rates: nil, uptime: { 0 }, submit: { _ in false })),
            relay: nil,
            hash: { password throws(AccountError) in
                if let violation = PasswordRules.violation(in: password) { throw .badInput(violation) }
                guard let hash = hasher.hash(password) else { throw .unavailable("the password could not be hashed") }
                return hash
            }, clock: .system, logger: logger)
    }

    /// The user whom an argument names: an id, otherwise a name, as everywhere (`UserReference`).
    func findUser(_ text: String, _ messaging: Messaging) async throws -> User {
        if let user = try await messaging.user(messaging.reference(text)) { return user }
        let isID = try await idForm().contains(text)
        throw ValidationError(
            isID
                ? "no user has the id \(text); a name of this form is given as name:\(text)"
                : "no user has the name or id \(text)")
    }
}
