import Logging
import Metrics
import ParleyAccounts
import ParleyModel
import ParleyPersister
import ParleyPostgres
import ParleySQLite
import ParleyStorage

/// Implemented by PostgreSQL and by SQLite.
typealias Database = CompleteStore

extension SQLiteStore: Database {
    package var failsWhole: Bool { true }
    package var writerExecutor: (any TaskExecutor)? { writer }

    /// Indexes new texts, and empties the WAL, so that deleted content soon disappears from the files. After writes have
    /// failed, notices when there is room again.
    package func maintain() async {
        // A failed attempt is repeated the next time.
        try? await indexTexts()
        _ = try? await emptyWAL()
        await recheckWrites()
    }
}

extension PostgresStore: Database {
    package var failsWhole: Bool { false }
    package var writerExecutor: (any TaskExecutor)? { nil }

    package func maintain() async {}
}

extension DatabaseAddress {
    /// - Parameter contentKey: the key of the digests of deleted messages; needed only to delete and compare messages.
    func open(
        clock: WallClock, logger: Logger, metrics: any MetricsFactory, contentKey: ContentKey? = nil
    ) throws(StoreError) -> any Database {
        switch self {
        case .sqlite(let path):
            let isWritable = Gauge(label: "parley_sqlite_writable", factory: metrics)
            isWritable.record(1)
            let store = try SQLiteStore(
                path: path, clock: clock, contentKey: contentKey, nameLook: { NameLook(of: $0) }
            ) { reason in
                isWritable.record(reason == nil ? 1 : 0)
                if let reason {
                    logger.error("database cannot be written", metadata: ["reason": "\(reason)"])
                } else {
                    logger.notice("database can be written again")
                }
            }
            let secret = KeptSecret.path(besides: path)
            for file in store.tightened + (PrivateFile.tighten(secret) ? [secret] : []) {
                logger.warning("file was readable by others, restricted its mode", metadata: ["file": "\(file)"])
            }
            return store
        case .postgres(var settings):
            settings.contentKey = contentKey
            settings.nameLook = { NameLook(of: $0) }
            return PostgresStore(settings, clock: clock, logger: logger, metrics: metrics)
        }
    }

    /// Compares the database with this version's schema. Changes nothing.
    /// - Throws: `unavailable` if the database cannot be used now, `failed` if this version cannot work with it.
    func inspect() async throws(StoreError) -> SchemaHistory.Finding {
        switch self {
        case .sqlite(let path): return try SchemaInspection.finding(at: path)
        case .postgres(let settings):
            let store = PostgresStore(settings, logger: Logger(label: "parley"), metrics: NOOPMetricsHandler.instance)
            let result: Result<SchemaHistory.Finding, StoreError>
            do throws(StoreError) { result = .success(try await store.inspect()) } catch { result = .failure(error) }
            await store.close()
            return try result.get()
        }
    }

    /// The locks by which persisters on this database divide the partitions.
    func makeLocks() -> any PartitionLocks {
        switch self {
        // Only one process uses the file.
        case .sqlite: AllPartitions()
        case .postgres(let settings): PostgresPartitionLocks(settings)
        }
    }
}
