package import CoreMetrics
package import Logging
package import ParleyModel
import ParleyStorage

/// Messages, accounts and the directory in a PostgreSQL database, which any number of nodes share.
///
/// - A call takes one connection from a bounded pool and one or two round trips; no call blocks its caller's thread.
/// - What a call has written is on the server's disk when it returns, if the server's `synchronous_commit` says so.
/// - A call whose task is cancelled before it has a connection throws `StoreError.unavailable`; one that has goes on to
///   its end.
/// - When the database goes away, calls throw `unavailable` and the store connects again by itself.
///
/// Tested with PostgreSQL 15; state is owned by the pool, the store itself only holds constants.
package final class PostgresStore: Sendable {
    let pool: ConnectionPool
    let clock: WallClock
    /// Of the digests of messages that are gone.
    let contentKey: ContentKey?

    /// Connects with the first call, not here; `migrate()` makes the tables.
    /// - Parameters:
    ///   - clock: dates new rows and decides which sessions are long expired.
    ///   - logger: told when the database goes away and comes back.
    package init(
        _ settings: PostgresSettings, clock: WallClock = .system, logger: Logger = Logger(label: "parley.postgres"),
        metrics factory: any MetricsFactory = MetricsSystem.factory
    ) {
        pool = ConnectionPool(settings, metrics: PostgresMetrics(factory: factory), logger: logger)
        self.clock = clock
        contentKey = settings.contentKey
    }

    /// Brings the tables up to this version of Parley, as one transaction; does nothing if they are.
    ///
    /// Safe when many nodes start at once: the first does it, the others wait and find it done.
    /// - Throws: `failed` if a newer version of Parley has made the tables, or the database is not UTF-8.
    package func migrate() async throws(StoreError) {
        let now = clock.milliseconds
        try await pool.perform(.schema) { try Migrations.run(on: $0, at: now) }
    }

    /// Whether the store can answer: the database is there and its tables are those of this version.
    /// - Throws: `unavailable` if not yet, `failed` if a newer version of Parley has made the tables.
    package func check() async throws(StoreError) {
        try await pool.perform(.schema) { try Migrations.check($0) }
    }

    /// Waits for running calls and ends the sessions; calls after this are `unavailable`. May be called again.
    package func close() async {
        await pool.close()
    }

    /// Runs calls whose answers say nothing, as one transaction and in one round trip.
    func run(_ kind: CallKind, _ calls: Call...) async throws(StoreError) {
        try await pool.perform(kind) { connection in _ = try connection.run(calls) }
    }

    /// Runs one call and reads its rows.
    func rows<Value: Sendable>(
        _ kind: CallKind, _ call: Call, _ decode: @escaping @Sendable (Row) throws -> Value
    ) async throws(StoreError) -> [Value] {
        try await pool.perform(kind) { connection in try connection.run([call])[0].map(decode) }
    }
}
