package import GRDB
import ParleyModel

/// The schema's steps, and running those that a file lacks.
///
/// GRDB's `DatabaseMigrator` looks up what is applied before it takes the write lock, so of two processes that start
/// together one fails. Here looking up and running are one immediate transaction.
package enum Migrations {
    static let all: [Migration] = [.foundation, .apiKeys, .events, .profiles, .state, .sends, .operators]

    /// The step that this version of Parley works with.
    package static var current: Int { all.last?.number ?? 0 }

    /// Runs the missing steps. Must be called inside an immediate transaction.
    /// - Parameters:
    ///   - milliseconds: now.
    ///   - last: the last step to run; those after it are left to another call.
    package static func run(on db: Database, at milliseconds: Int64, through last: Int = current) throws {
        let applied = try applied(to: db)
        try refuseNewer(applied)
        if applied == 0 {
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS parley_migrations (
                        number INTEGER NOT NULL PRIMARY KEY,
                        name TEXT NOT NULL,
                        applied_ms INTEGER NOT NULL
                    ) STRICT
                    """)
        }
        for step in all where step.number > applied && step.number <= last {
            try db.execute(sql: step.sql)
            try db.execute(
                sql: "INSERT INTO parley_migrations (number, name, applied_ms) VALUES (?, ?, ?)",
                arguments: [step.number, step.name, milliseconds])
        }
    }

    /// - Throws: a `StoreError` unless exactly the steps of this version are applied.
    static func check(_ db: Database) throws {
        let applied = try applied(to: db)
        try refuseNewer(applied)
        guard applied == current else {
            throw StoreError.unavailable("the database has schema step \(applied), needed is \(current): migrate it")
        }
    }

    private static func applied(to db: Database) throws -> Int {
        guard try db.tableExists("parley_migrations") else { return 0 }
        return try Int.fetchOne(db, sql: "SELECT max(number) FROM parley_migrations") ?? 0
    }

    private static func refuseNewer(_ applied: Int) throws {
        guard applied > current else { return }
        throw StoreError.failed(
            "the database is of a newer version of Parley (schema step \(applied), this one knows \(current))")
    }
}
