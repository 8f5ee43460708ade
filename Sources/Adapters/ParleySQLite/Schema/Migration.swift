/// One step of the schema. A released step never changes; the next change is a new step.
package struct Migration: Sendable {
    /// 1, 2, 3 … in the order of application.
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
    /// The schema of version 0.1.0. All `_ms` columns are Unix milliseconds.
    static let first = Migration(
        number: 1, name: "0.1.0",
        sql: users + threads + messages + textIndex + ingest + attachments + stateChanges + versionTriggers)
}
