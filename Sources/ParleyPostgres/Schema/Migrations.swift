import ParleyModel

/// The schema's steps, and running those that a database lacks.
package enum Migrations {
    static let all: [Migration] = [.foundation, .apiKeys, .events, .profiles, .state, .sends, .operators]

    /// The step that this version of Parley works with.
    package static var current: Int { all.last?.number ?? 0 }

    /// Runs the missing steps as one transaction, alone among all who run this on the database.
    /// - Parameters:
    ///   - milliseconds: now.
    ///   - last: the last step to run; those after it are left to another call.
    package static func run(
        on connection: PostgresConnection, at milliseconds: Int64, through last: Int = current
    ) throws {
        try connection.run([Statement.begin(), Locks.migrations()])
        // Only now: what is applied must be looked up under the lock.
        let applied = try applied(to: connection)
        try refuseNewer(applied)
        try refuseOtherEncoding(connection)
        var calls = applied == 0 ? [table()] : []
        for step in all where step.number > applied && step.number <= last {
            calls += step.statements.map { Statement($0, isKept: false)() }
            calls.append(record(.int(Int64(step.number)), .text(step.name), .int(milliseconds)))
        }
        try connection.run(calls + [Statement.commit()])
    }

    /// - Throws: a `StoreError` unless exactly the steps of this version are applied.
    static func check(_ connection: PostgresConnection) throws {
        let applied = try applied(to: connection)
        try refuseNewer(applied)
        guard applied == current else {
            throw StoreError.unavailable("the database has schema step \(applied), needed is \(current): migrate it")
        }
    }

    private static let exists = Statement("SELECT to_regclass('parley_migrations') IS NOT NULL")
    private static let newest = Statement("SELECT coalesce(max(number), 0) FROM parley_migrations")
    private static let encoding = Statement("SELECT current_setting('server_encoding')", isKept: false)
    private static let table = Statement(
        """
        CREATE TABLE IF NOT EXISTS parley_migrations (
            number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL)
        """, isKept: false)
    private static let record = Statement(
        "INSERT INTO parley_migrations (number, name, applied_ms) VALUES ($1, $2, $3)", isKept: false)

    private static func applied(to connection: PostgresConnection) throws -> Int {
        guard try connection.run([exists()])[0].first?.bool(0) == true else { return 0 }
        return Int(try connection.run([newest()])[0].first?.int(0) ?? 0)
    }

    private static func refuseNewer(_ applied: Int) throws {
        guard applied > current else { return }
        throw StoreError.failed(
            "the database is of a newer version of Parley (schema step \(applied), this one knows \(current))")
    }

    private static func refuseOtherEncoding(_ connection: PostgresConnection) throws {
        let name = try connection.run([encoding()])[0].first?.text(0) ?? ""
        guard name == "UTF8" else {
            throw StoreError.failed(
                "the database has the encoding \(name); allowed is UTF8, with which it must be made")
        }
    }
}
