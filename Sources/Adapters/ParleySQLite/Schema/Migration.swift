/// A step of the schema. A released step never changes; each further change is a new step.
package struct Migration: Sendable {
    /// The position in the order of application: 1, 2, 3 and so on.
    let number: Int
    let name: String
    /// The statements, executed inside the transaction of `Migrations.run`.
    let sql: String

    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }
}

extension Migration {
    /// The schema of version 0.1.0. All `_ms` columns contain Unix time in milliseconds.
    static let first = Migration(
        number: 1, name: "0.1.0",
        sql: users + threads + messages + textIndex + ingest + webhooks + attachments + entrances + notifications
            + stateChanges + versionTriggers + rowLanes + audit + unseen)
}
