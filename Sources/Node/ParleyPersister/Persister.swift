package import CoreMetrics
package import Logging
package import ParleyConcurrency
package import ParleyModel
import ServiceLifecycle

/// Moves accepted events from the ingest stream into the store, exactly once: one `PartitionWorker` for each group of
/// partitions, for the partitions that this process owns.
///
/// At a graceful shutdown, everything read is written, and with `PersisterSettings.drains` the stream is drained; after
/// `shutdownTimeout` it ends in any case. Services that append must be shut down before.
package struct Persister: Service {
    private let stream: any IngestStream
    private let store: any MessageStore
    private let log: (any MessageLog)?
    private let logRedactsItself: Bool
    private let locks: any PartitionLocks
    private let settings: PersisterSettings
    private let logger: Logger
    private let metrics: PersisterMetrics
    private let clock: WallClock
    private let tracer: Tracer
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - log: deleted content is removed from it; `nil` for none.
    ///   - logRedactsItself: whether the log is in this process and redacts deletions itself.
    ///   - clock: used to measure the age of events.
    ///   - sleep: waits; throws when the task is cancelled.
    package init(
        stream: any IngestStream, store: any MessageStore, log: (any MessageLog)? = nil,
        logRedactsItself: Bool = false, locks: any PartitionLocks = AllPartitions(),
        settings: PersisterSettings = PersisterSettings(), logger: Logger,
        metrics factory: any MetricsFactory = MetricsSystem.factory,
        clock: WallClock = .system, tracer: Tracer = .off,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.stream = stream
        self.store = store
        self.log = log
        self.logRedactsItself = logRedactsItself
        self.locks = locks
        self.settings = settings
        self.logger = logger
        self.clock = clock
        self.tracer = tracer
        self.sleep = sleep
        metrics = PersisterMetrics(partitions: stream.partitions, factory: factory)
    }

    /// Persists until the stream ends, the shutdown is complete, or the task is cancelled.
    package func run() async throws {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await work()
                return true
            }
            group.addTask {
                do {
                    try await gracefulShutdown()
                    try await sleep(settings.shutdownTimeout)
                    return false
                } catch {
                    return true
                }
            }
            if await group.next() == false {
                logger.error("shutdown timed out before all accepted events were stored")
            }
            group.cancelAll()
        }
    }

    private func work() async {
        let shareOut = PartitionAssigner(
            groups: stream.groups, locks: locks, interval: settings.balanceInterval, metrics: metrics,
            logger: logger, sleep: sleep
        ) { partitions in
            let worker = PartitionWorker(
                stream: stream, store: store, log: log, logRedactsItself: logRedactsItself,
                metrics: metrics, logger: logger, clock: clock, tracer: tracer, sleep: sleep)
            await worker.run(BatchPlanner(partitions: partitions, settings: settings))
        }
        await shareOut.run()
    }
}

/// Settings of a `Persister`: batches, retries and shutdown.
package struct PersisterSettings: Hashable, Sendable {
    /// Maximum number of entries in one transaction.
    package var batchLimit = 1000
    /// The interval at which partitions are balanced; the partitions of a process that has died stay unowned for up to
    /// this long.
    package var balanceInterval = Duration.seconds(1)
    /// The delays after failures. A single worker retries for all partitions of a host, so it may do so every second.
    package var backoff = Backoff(cap: .seconds(1))
    /// Whether the stream is drained at shutdown, as it must be if it ends with the process; otherwise only what has
    /// been read is written.
    package var drains = true
    /// Maximum shutdown time.
    package var shutdownTimeout = Duration.seconds(10)

    package init() {}
}
