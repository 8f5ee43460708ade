import Logging
import Metrics
import ParleyModel
import ParleyPersister
import ParleyPostgres
import ParleySQLite

/// Either store, as the program needs it.
protocol Database: MessageStore, AccountStore, Directory, Sendable {
    /// Brings the tables up to this version of Parley.
    func migrate() async throws(StoreError)
    /// Whether it can answer.
    func check() async throws(StoreError)
    func close() async throws(StoreError)
}

extension SQLiteStore: Database {}

extension PostgresStore: Database {}

extension DatabaseAddress {
    func open(clock: WallClock, logger: Logger, metrics: any MetricsFactory) throws(StoreError) -> any Database {
        switch self {
        case .sqlite(let path): try SQLiteStore(path: path, clock: clock)
        case .postgres(let settings): PostgresStore(settings, clock: clock, logger: logger, metrics: metrics)
        }
    }

    /// How persisters on this database share the partitions.
    func makeLocks() -> any PartitionLocks {
        switch self {
        // One process has the file to itself.
        case .sqlite: WholeShare()
        case .postgres(let settings): PostgresPartitionLocks(settings)
        }
    }
}
