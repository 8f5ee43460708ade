package import GRDB
import ParleyModel

/// The steps of the schema and their application.
///
/// GRDB's `DatabaseMigrator` reads the applied steps before it takes the write lock, so that one of two processes that
/// start together fails. Here reading and applying are one immediate transaction.
package enum Migrations {
    static let all: [Migration] = [
        .foundation, .apiKeys, .events, .profiles, .state, .sends, .operators, .textIndex, .attachments, .confirmedUses,
        .reactionsOfUsers, .restrictions, .nameLooks, .logHosts,
    ]

    /// The newest step of this version of Parley.
    package static var current: Int { all.last?.number ?? 0 }

    /// Applies the missing steps. Must be called inside an immediate transaction.
    /// - Parameters:
    ///   - milliseconds: the current time.
    ///   - last: the last step to apply; later ones are left to another call.
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
            throw StoreError.unavailable(
                "the database has schema step \(applied); this version requires \(current): run `parley migrate`")
        }
    }

    private static func applied(to db: Database) throws -> Int {
        guard try db.tableExists("parley_migrations") else { return 0 }
        return try Int.fetchOne(db, sql: "SELECT max(number) FROM parley_migrations") ?? 0
    }

    private static func refuseNewer(_ applied: Int) throws {
        guard applied > current else { return }
        throw StoreError.failed(
            "the database belongs to a newer version of Parley (schema step \(applied), this version knows \(current))")
    }
}
