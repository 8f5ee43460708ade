import ParleyModel
import ParleyPostgres
import ParleyTestServers
import ParleyTestSupport

/// A persister that takes part in balancing and releases surplus partitions at once.
final class Locker: Sendable {
    static let all = (0..<64).map { Partition(number: $0) }

    let locks: PostgresPartitionLocks
    private let database: PostgresTestDatabase
    private let name: String

    init(_ name: String, on database: PostgresTestDatabase, replyLimit: Duration = .seconds(5)) throws {
        self.name = name
        self.database = database
        locks = PostgresPartitionLocks(try database.settings(as: name), replyLimit: replyLimit)
    }

    /// Balances and releases the surplus.
    /// - Returns: the partitions it has then.
    func step() async throws -> Set<Partition> {
        let share = try await locks.balance(Self.all)
        await locks.release(share.surplus)
        return share.owned.subtracting(share.surplus)
    }

    /// Ends its session, as when a process is killed.
    func terminate() async throws {
        try await database.server.psql(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '\(name)'
            """, database: database.name)
    }
}
