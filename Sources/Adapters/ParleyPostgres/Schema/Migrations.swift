import ParleyModel
package import ParleyStorage

/// The steps of the schema, and their application.
package enum Migrations {
    /// The steps of this version.
    package static let all: [Migration] = [.first]

    /// The newest step of this version.
    package static var current: Int { all.count }

    /// Applies the missing steps in one transaction. Only one such transaction runs at a time on a database.
    /// - Parameters:
    ///   - steps: the steps that the program knows.
    ///   - milliseconds: the current time.
    /// - Throws: `failed` if this version must not use the database, or if the database's encoding is not UTF-8.
    package static func run(
        _ steps: [Migration] = all, on connection: PostgresConnection, at milliseconds: Int64
    ) throws {
        try connection.run([Statement.begin(), Locks.migrations()])
        // Read only after the lock is taken, so that the result includes concurrent migrations.
        let history = try history(of: connection)
        let finding = try history.compare(with: steps.count)
        try refuseOtherEncoding(connection)
        // A role without the right to create tables can start if the schema is complete. The server would refuse it
        // `CREATE TABLE` even for a table that exists.
        var calls = finding == .empty ? [createTable()] : []
        for step in steps where !history.steps.contains(step.number) {
            calls += step.statements.map { Statement($0, isKept: false)() }
            calls.append(
                record(
                    .int(Int64(step.number)), .text(step.name), .int(milliseconds), .int(Int64(step.oldestNode))))
        }
        try connection.run(calls + [Statement.commit()])
    }

    private static let createTable = Statement(
        """
        CREATE TABLE parley_schema (
            number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL, oldest_node bigint NOT NULL)
        """, isKept: false)

    private static let record = Statement(
        "INSERT INTO parley_schema (number, name, applied_ms, oldest_node) VALUES ($1, $2, $3, $4)", isKept: false)

    /// Only versions before 0.1.0 created the table `parley_migrations`.
    private static let tables = Query(
        "SELECT to_regclass('parley_schema') IS NOT NULL, to_regclass('parley_migrations') IS NOT NULL"
    ) { row in (hasSteps: try row.bool(0), isUnreleased: try row.bool(1)) }
    private static let applied = Query("SELECT number, oldest_node FROM parley_schema", isKept: false) { row in
        (step: Int(try row.int(0)), oldestNode: Int(try row.int(1)))
    }

    /// Returns the steps that a database has.
    package static func history(of connection: PostgresConnection) throws -> SchemaHistory {
        guard let found = try connection.run(tables()).first else { return SchemaHistory() }
        if found.isUnreleased { return SchemaHistory(isUnreleased: true) }
        guard found.hasSteps else { return SchemaHistory() }
        let rows = try connection.run(applied())
        return SchemaHistory(steps: Set(rows.map(\.step)), oldestNode: rows.map(\.oldestNode).max() ?? 0)
    }

    /// Compares a database with the steps of this version, in a transaction that cannot write.
    static func inspect(_ connection: PostgresConnection) throws -> SchemaHistory.Finding {
        try connection.run([Statement("BEGIN READ ONLY", isKept: false)()])
        let finding = try history(of: connection).compare(with: current)
        try refuseOtherEncoding(connection)
        try connection.run([Statement.commit()])
        return finding
    }

    private static let encoding = Query("SELECT current_setting('server_encoding')", isKept: false) { row in
        try row.text(0)
    }

    private static func refuseOtherEncoding(_ connection: PostgresConnection) throws {
        let name = try connection.run(encoding()).first ?? ""
        guard name == "UTF8" else {
            throw StoreError.failed(
                "the database has the encoding \(name); it must be created with UTF8")
        }
    }
}
