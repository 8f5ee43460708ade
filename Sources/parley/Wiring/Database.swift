import Logging
import Metrics
import ParleyModel
import ParleyPersister
import ParleyPostgres
import ParleySQLite
import ParleyStorage

/// Either store, as the program needs it.
protocol Database: MessageStore, AccountStore, StateStore, Outbox, Cleanups, Directory, ChangeFeed, Sendable {
    /// Brings the tables up to this version of Parley.
    func migrate() async throws(StoreError)
    /// Whether it can answer.
    func check() async throws(StoreError)
    func close() async throws(StoreError)
}

extension SQLiteStore: Database {}

extension PostgresStore: Database {}

extension DatabaseAddress {
    /// - Parameter contentKey: of the digests of deleted messages; only what deletes and compares messages needs one.
    func open(
        clock: WallClock, logger: Logger, metrics: any MetricsFactory, contentKey: ContentKey? = nil
    ) throws(StoreError) -> any Database {
        switch self {
        case .sqlite(let path):
            let store = try SQLiteStore(path: path, clock: clock, contentKey: contentKey)
            let secret = KeptSecret.path(besides: path)
            for file in store.tightened + (PrivateFile.tighten(secret) ? [secret] : []) {
                logger.warning("others could read this file; its mode is tightened", metadata: ["file": "\(file)"])
            }
            return store
        case .postgres(var settings):
            settings.contentKey = contentKey
            return PostgresStore(settings, clock: clock, logger: logger, metrics: metrics)
        }
    }

    /// How persisters on this database share the partitions.
    func makeLocks() -> any PartitionLocks {
        switch self {
        // One process has the file to itself.
        case .sqlite: AllPartitions()
        case .postgres(let settings): PostgresPartitionLocks(settings)
        }
    }
}
