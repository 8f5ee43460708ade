package import GRDB
package import ParleyStorage

/// The steps of the schema, and their application.
///
/// GRDB's `DatabaseMigrator` reads the applied steps before it takes the write lock, so if two processes start at the
/// same time, one of them fails. Here, one immediate transaction reads and applies the steps.
package enum Migrations {
    /// The steps of this version.
    package static let all: [Migration] = [.first]

    /// The newest step of this version.
    package static var current: Int { all.count }

    /// Applies the missing steps. Call it inside an immediate transaction.
    /// - Parameters:
    ///   - steps: the steps that the program knows.
    ///   - milliseconds: the current time.
    /// - Throws: `failed` if this version must not use the database.
    package static func run(_ steps: [Migration] = all, on db: Database, at milliseconds: Int64) throws {
        let history = try history(of: db)
        if try history.compare(with: steps.count) == .empty {
            try db.execute(
                sql: """
                    CREATE TABLE parley_schema (
                        number INTEGER NOT NULL PRIMARY KEY,
                        name TEXT NOT NULL,
                        applied_ms INTEGER NOT NULL
                    ) STRICT
                    """)
        }
        for step in steps where !history.steps.contains(step.number) {
            try db.execute(sql: step.sql)
            try db.execute(
                sql: "INSERT INTO parley_schema (number, name, applied_ms) VALUES (?, ?, ?)",
                arguments: [step.number, step.name, milliseconds])
        }
    }

    /// Returns the steps that a database has. A single process uses the file, so it must know every step. Only versions
    /// before 0.1.0 created the table `parley_migrations`.
    package static func history(of db: Database) throws -> SchemaHistory {
        if try db.tableExists("parley_migrations") { return SchemaHistory(isUnreleased: true) }
        guard try db.tableExists("parley_schema") else { return SchemaHistory() }
        let steps = try Set(Int.fetchAll(db, sql: "SELECT number FROM parley_schema"))
        return SchemaHistory(steps: steps, oldestNode: steps.max() ?? 0)
    }
}
