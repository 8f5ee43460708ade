import Logging
import Metrics
import ParleyModel
import ParleyPersister
import ParleyPostgres
import ParleySQLite

/// Either store, as the program needs it.
protocol Database: MessageStore, AccountStore, Directory {
    /// Brings the tables up to this version of Parley.
    func migrate() async throws(StoreError)
    /// Whether it can answer.
    func check() async throws(StoreError)
    func close() async throws(StoreError)
    /// How persisters on this database share the partitions.
    func makeLocks() -> any PartitionLocks
}

extension SQLiteStore: Database {
    /// One process has the file to itself.
    func makeLocks() -> any PartitionLocks { WholeShare() }
}

extension PostgresStore: Database {
    func makeLocks() -> any PartitionLocks { WholeShare() }
}

extension DatabaseAddress {
    func open(clock: WallClock, logger: Logger, metrics: any MetricsFactory) throws(StoreError) -> any Database {
        switch self {
        case .sqlite(let path): try SQLiteStore(path: path, clock: clock)
        case .postgres(let settings): PostgresStore(settings, clock: clock)
        }
    }
}
