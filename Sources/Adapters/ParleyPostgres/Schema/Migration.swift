/// A step of the schema. A released step never changes; each further change is a new step.
package struct Migration: Sendable {
    /// The position in the order of application: 1, 2, 3 and so on.
    package let number: Int
    let name: String
    /// The oldest compatible version of Parley, given as the newest step that this version knows. It is `number` if the
    /// step changes what an older node reads or writes, and less if the step only adds to it.
    let oldestNode: Int
    /// Executed inside the transaction of `Migrations.run`.
    package let statements: [String]

    package init(number: Int, name: String, oldestNode: Int, statements: [String]) {
        self.number = number
        self.name = name
        self.oldestNode = oldestNode
        self.statements = statements
    }
}

extension Migration {
    /// The schema of version 0.1.0.
    ///
    /// - All `_ms` columns contain Unix time in milliseconds.
    /// - Texts are compared byte by byte (collation "C"), regardless of the locale of the database.
    static let first = Migration(
        number: 1, name: "0.1.0", oldestNode: 1,
        statements: users + threads + messages + ingest + webhooks + attachments + entrances + notifications
            + stateChanges + rowLanes + audit + unseen)
}
