package import CoreMetrics
package import Logging
package import ParleyModel
package import ParleyStorage

/// Stores messages, accounts and the directory in a PostgreSQL database that any number of nodes share.
///
/// - A call uses one connection from a bounded pool, for one or two round trips. No call blocks the thread of its
///   caller.
/// - When a call returns, its writes are on the server's disk if the server's `synchronous_commit` requires it.
/// - A call throws `StoreError.unavailable` if its task is cancelled before it has a connection. After that, it runs to
///   completion.
/// - While the database is unavailable, calls throw `unavailable`; the store reconnects automatically.
///
/// Tested with PostgreSQL 15. The pool owns all state; the store itself only holds constants.
package final class PostgresStore: Sendable {
    let pool: ConnectionPool
    let clock: WallClock
    /// The key for the digests of deleted messages.
    let contentKey: ContentKey?
    /// Computes the looks of new names.
    let nameLook: NameLook.Rule

    /// Creates the store. The first call connects, and `migrate()` creates the tables.
    /// - Parameters:
    ///   - clock: dates new rows, and determines which sessions expired long ago.
    ///   - logger: receives messages about loss of the database and reconnection.
    package init(
        _ settings: PostgresSettings, clock: WallClock = .system, logger: Logger = Logger(label: "parley.postgres"),
        metrics factory: any MetricsFactory = MetricsSystem.factory
    ) {
        pool = ConnectionPool(settings, metrics: PostgresMetrics(factory: factory), logger: logger)
        self.clock = clock
        contentKey = settings.contentKey
        nameLook = settings.nameLook
    }

    /// Applies the missing schema migrations in one transaction. Does nothing if the schema is current.
    ///
    /// Many nodes may call this at once: one node migrates, and the others wait for it.
    /// - Throws: `failed` if the database belongs to a newer version of Parley or to a version before 0.1.0, or if its
    ///   encoding is not UTF-8.
    package func migrate() async throws(StoreError) {
        let now = clock.milliseconds
        try await pool.perform(.schema) { try Migrations.run(on: $0, at: now) }
    }

    /// Checks that the database is reachable and has the schema of this version.
    /// - Throws: `unavailable` if it is not reachable or not migrated yet, `failed` if it belongs to an incompatible
    ///   version.
    package func check() async throws(StoreError) {
        try await pool.perform(.schema) { try Migrations.history(of: $0).require(Migrations.current) }
    }

    /// Returns the difference between the database and the schema of this version. Writes nothing.
    /// - Throws: `unavailable` if the database is not reachable, `failed` if it belongs to an incompatible version.
    package func inspect() async throws(StoreError) -> SchemaHistory.Finding {
        try await pool.perform(.schema) { try Migrations.inspect($0) }
    }

    /// Waits for running calls and closes the connections. Later calls throw `unavailable`. May be called more than
    /// once.
    package func close() async {
        await pool.close()
    }

    /// Runs calls that return no rows, as one transaction in one round trip.
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
