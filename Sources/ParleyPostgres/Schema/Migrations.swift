import ParleyModel

/// The steps of the schema and their application.
package enum Migrations {
    static let all: [Migration] = [.foundation, .apiKeys, .events, .profiles, .state, .sends, .operators]

    /// The newest step of this version of Parley.
    package static var current: Int { all.last?.number ?? 0 }

    /// Applies the missing steps in one transaction, serialised with all others that do so on the database.
    /// - Parameters:
    ///   - milliseconds: the current time.
    ///   - last: the last step to apply; later ones are left to another call.
    package static func run(
        on connection: PostgresConnection, at milliseconds: Int64, through last: Int = current
    ) throws {
        try connection.run([Statement.begin(), Locks.migrations()])
        // Read only under the lock, so that concurrent migrations are seen.
        let applied = try applied(to: connection)
        try refuseNewer(applied)
        try refuseOtherEncoding(connection)
        let missing = all.filter { $0.number > applied.step && $0.number <= last }
        // A role without the right to create tables can start on a complete schema; it is refused `CREATE TABLE` even
        // for a table that exists.
        var calls = missing.isEmpty ? [] : tables.map { $0() }
        for step in missing {
            calls += step.statements.map { Statement($0, isKept: false)() }
            calls.append(record(step, at: milliseconds))
            if step.oldestNode == step.number { calls.append(recordForOldNodes(step, at: milliseconds)) }
        }
        try connection.run(calls + [Statement.commit()])
    }

    /// - Throws: a `StoreError` unless all steps of this version are applied, and none that it is incompatible with.
    static func check(_ connection: PostgresConnection) throws {
        let applied = try applied(to: connection)
        try refuseNewer(applied)
        guard applied.step >= current else {
            throw StoreError.unavailable(
                "the database has schema step \(applied.step); this version requires \(current): run `parley migrate`")
        }
    }

    // Versions up to step 4 read `parley_migrations` only, and refuse a database unless its newest step there is
    // theirs. Steps compatible with them are therefore recorded in `parley_schema` only.
    private static let tables = [
        Statement(
            """
            CREATE TABLE IF NOT EXISTS parley_migrations (
                number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL)
            """, isKept: false),
        Statement(
            """
            CREATE TABLE IF NOT EXISTS parley_schema (
                number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL, oldest_node bigint NOT NULL)
            """, isKept: false),
        Statement(
            """
            INSERT INTO parley_schema (number, name, applied_ms, oldest_node)
            SELECT number, name, applied_ms, number FROM parley_migrations ON CONFLICT DO NOTHING
            """, isKept: false),
    ]

    private static func record(_ step: Migration, at milliseconds: Int64) -> Call {
        Statement(
            "INSERT INTO parley_schema (number, name, applied_ms, oldest_node) VALUES ($1, $2, $3, $4)", isKept: false)(
                .int(Int64(step.number)), .text(step.name), .int(milliseconds), .int(Int64(step.oldestNode)))
    }

    private static func recordForOldNodes(_ step: Migration, at milliseconds: Int64) -> Call {
        Statement("INSERT INTO parley_migrations (number, name, applied_ms) VALUES ($1, $2, $3)", isKept: false)(
            .int(Int64(step.number)), .text(step.name), .int(milliseconds))
    }

    /// The newest step of a database, and the oldest version that works with it.
    private struct Applied {
        var (step, oldestNode) = (0, 0)
    }

    private static let names = Statement(
        "SELECT to_regclass('parley_schema') IS NOT NULL, to_regclass('parley_migrations') IS NOT NULL")
    private static let steps = Statement(
        "SELECT coalesce(max(number), 0), coalesce(max(oldest_node), 0) FROM parley_schema", isKept: false)
    private static let oldSteps = Statement(
        "SELECT coalesce(max(number), 0), coalesce(max(number), 0) FROM parley_migrations", isKept: false)

    private static func applied(to connection: PostgresConnection) throws -> Applied {
        guard let name = try connection.run([names()])[0].first else { return Applied() }
        let (isNew, isOld) = (try name.bool(0), try name.bool(1))
        guard isNew || isOld, let row = try connection.run([isNew ? steps() : oldSteps()])[0].first else {
            return Applied()
        }
        return Applied(step: Int(try row.int(0)), oldestNode: Int(try row.int(1)))
    }

    private static func refuseNewer(_ applied: Applied) throws {
        guard applied.oldestNode > current else { return }
        throw StoreError.failed(
            """
            the database belongs to a newer version of Parley (schema step \(applied.step), which needs nodes that know step \
            \(applied.oldestNode); this version knows \(current))
            """)
    }

    private static let encoding = Statement("SELECT current_setting('server_encoding')", isKept: false)

    private static func refuseOtherEncoding(_ connection: PostgresConnection) throws {
        let name = try connection.run([encoding()])[0].first?.text(0) ?? ""
        guard name == "UTF8" else {
            throw StoreError.failed(
                "the database has the encoding \(name); it must be created with UTF8")
        }
    }
}
