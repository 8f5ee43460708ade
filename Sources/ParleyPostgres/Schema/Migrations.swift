import ParleyModel

/// The steps of the schema and their application.
package enum Migrations {
    static let all: [Migration] = [
        .foundation, .apiKeys, .events, .profiles, .state, .sends, .operators, .hashedIndexes, .oldIndexes,
        .attachments, .confirmedUses, .reactionsOfUsers, .restrictions, .nameLooks, .logHosts,
    ]

    /// The newest step that nodes of this version need.
    package static var current: Int { all.last { !$0.isDeferred }?.number ?? 0 }

    /// Applies the missing steps in one transaction, serialised with all others that do so on the database, up to one
    /// whose indexes must be built first. An empty database gets all steps.
    /// - Parameters:
    ///   - milliseconds: the current time.
    ///   - last: the last step to apply; later ones are left to another call.
    ///   - isComplete: whether to apply the deferred steps too: no older node is left.
    /// - Returns: the step whose indexes must be built before this is called again; `nil` if all steps are applied.
    package static func run(
        on connection: PostgresConnection, at milliseconds: Int64, through last: Int = .max, isComplete: Bool = false
    ) throws -> Migration? {
        try connection.run([Statement.begin(), Locks.migrations()])
        // Read only under the lock, so that concurrent migrations are seen.
        let applied = try applied(to: connection)
        try refuseNewer(applied)
        try refuseOtherEncoding(connection)
        let isNew = applied.steps.isEmpty
        let missing = all.filter {
            !applied.steps.contains($0.number) && $0.number <= last && (!$0.isDeferred || isComplete || isNew)
        }
        // A role without the right to create tables can start on a complete schema; it is refused `CREATE TABLE` even
        // for a table that exists.
        var calls = missing.isEmpty ? [] : tables.map { $0() }
        var unbuilt: Migration?
        for step in missing {
            if isNew {
                calls += step.indexes.map { $0.create(concurrently: false)() }
            } else if try !IndexBuilder.areBuilt(step, on: connection) {
                unbuilt = step
                break
            }
            calls += step.statements.map { Statement($0, isKept: false)() }
            calls.append(record(step, at: milliseconds))
            if step.oldestNode == step.number || step.oldestNode > newestOfOldNodes {
                calls.append(recordForOldNodes(step, at: milliseconds))
            }
        }
        try connection.run(calls + [Statement.commit()])
        return unbuilt
    }

    /// - Throws: a `StoreError` unless all steps of this version are applied, and none that it is incompatible with.
    static func check(_ connection: PostgresConnection) throws {
        let applied = try applied(to: connection)
        try refuseNewer(applied)
        guard all.allSatisfy({ $0.isDeferred || applied.steps.contains($0.number) }) else {
            throw StoreError.unavailable(
                "the database has schema step \(applied.newest); this version requires \(current): run `parley migrate`"
            )
        }
    }

    /// Whether a deferred step is not applied.
    static func isIncomplete(_ connection: PostgresConnection) throws -> Bool {
        let applied = try applied(to: connection)
        return all.contains { $0.isDeferred && !applied.steps.contains($0.number) }
    }

    /// The newest step of versions that read `parley_migrations` only.
    private static let newestOfOldNodes = 4

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

    /// The steps of a database, and the oldest version that works with it.
    private struct Applied {
        var steps: Set<Int> = []
        var oldestNode = 0

        var newest: Int { steps.max() ?? 0 }
    }

    private static let names = Statement(
        "SELECT to_regclass('parley_schema') IS NOT NULL, to_regclass('parley_migrations') IS NOT NULL")
    private static let steps = Statement("SELECT number, oldest_node FROM parley_schema", isKept: false)
    private static let oldSteps = Statement("SELECT number, number FROM parley_migrations", isKept: false)

    private static func applied(to connection: PostgresConnection) throws -> Applied {
        guard let name = try connection.run([names()])[0].first else { return Applied() }
        let (isNew, isOld) = (try name.bool(0), try name.bool(1))
        guard isNew || isOld else { return Applied() }
        var applied = Applied()
        let rows = try connection.run([isNew ? steps() : oldSteps()])[0]
        for (number, oldestNode) in try rows.map({ (Int(try $0.int(0)), Int(try $0.int(1))) }) {
            applied.steps.insert(number)
            applied.oldestNode = max(applied.oldestNode, oldestNode)
        }
        return applied
    }

    private static func refuseNewer(_ applied: Applied) throws {
        guard applied.oldestNode > current else { return }
        throw StoreError.failed(
            """
            the database belongs to a newer version of Parley (schema step \(applied.newest), which needs nodes that know step \
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
