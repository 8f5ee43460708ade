package import CoreMetrics
package import Logging
package import ParleyModel
package import ParleyStorage

/// Messages, accounts and the directory in a PostgreSQL database shared by any number of nodes.
///
/// - A call takes one connection from a bounded pool and one or two round trips. No call blocks its caller's thread.
/// - When a call returns, its writes are on the server's disk, if the server's `synchronous_commit` requires it.
/// - A call whose task is cancelled before it has a connection throws `StoreError.unavailable`; afterwards it runs to
///   completion.
/// - While the database is unavailable, calls throw `unavailable`; the store reconnects automatically.
///
/// Tested with PostgreSQL 15. The pool owns all state; the store itself holds constants only.
package final class PostgresStore: Sendable {
    let pool: ConnectionPool
    let clock: WallClock
    /// The key of the digests of deleted messages.
    let contentKey: ContentKey?
    /// Makes the looks of new names.
    let nameLook: NameLook.Rule

    /// Creates the store; it connects on the first call. `migrate()` creates the tables.
    /// - Parameters:
    ///   - clock: dates new rows and decides which sessions are long expired.
    ///   - logger: reports losses of the database and reconnects.
    package init(
        _ settings: PostgresSettings, clock: WallClock = .system, logger: Logger = Logger(label: "parley.postgres"),
        metrics factory: any MetricsFactory = MetricsSystem.factory
    ) {
        pool = ConnectionPool(settings, metrics: PostgresMetrics(factory: factory), logger: logger)
        self.clock = clock
        contentKey = settings.contentKey
        nameLook = settings.nameLook
    }

    /// Applies the missing schema migrations in one transaction; does nothing if there are none.
    ///
    /// Safe when many nodes start at once: the first migrates, the others wait for it.
    /// - Throws: `failed` if the database belongs to a newer version of Parley or to one before 0.1.0, or if it is not
    ///   UTF-8.
    package func migrate() async throws(StoreError) {
        let now = clock.milliseconds
        try await pool.perform(.schema) { try Migrations.run(on: $0, at: now) }
    }

    /// Checks that the database is reachable and its schema is that of this version.
    /// - Throws: `unavailable` if not yet, `failed` if the database belongs to a version that this one cannot work with.
    package func check() async throws(StoreError) {
        try await pool.perform(.schema) { try Migrations.history(of: $0).require(Migrations.current) }
    }

    /// What the database lacks of this version's schema. Writes nothing.
    /// - Throws: `unavailable` if the database cannot be reached, `failed` if this version cannot work with it.
    package func inspect() async throws(StoreError) -> SchemaHistory.Finding {
        try await pool.perform(.schema) { try Migrations.inspect($0) }
    }

    /// Waits for running calls and closes the connections; later calls are `unavailable`. May be called again.
    package func close() async {
        await pool.close()
    }

    /// Runs calls without results, as one transaction and in one round trip.
    func run(_ kind: CallKind, _ calls: Call...) async throws(StoreError) {
        try await pool.perform(kind) { connection in _ = try connection.run(calls) }
    }

    /// Runs one call and decodes its rows.
    func rows<Value: Sendable>(
        _ kind: CallKind, _ call: Call, _ decode: @escaping @Sendable (Row) throws -> Value
    ) async throws(StoreError) -> [Value] {
        try await pool.perform(kind) { connection in try connection.run(call, decode) }
    }

    /// Runs one call.
    func rows<Value: Sendable>(_ kind: CallKind, _ call: TypedCall<Value>) async throws(StoreError) -> [Value] {
        try await pool.perform(kind) { connection in try connection.run(call) }
    }
}
