package import CoreMetrics
package import Logging
package import ParleyModel
import ServiceLifecycle

/// Carries what is accepted into the store, exactly once: one `PartitionWorker` for each partition that this process has
/// by the locks.
///
/// At a graceful shutdown what has been read is written, and by `PersisterSettings.drains` the stream is read dry;
/// after `shutdownTimeout` it ends all the same. Whoever appends must be shut down before.
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
    ///   - log: what is deleted is taken out of it; `nil`: nothing is.
    ///   - logRedactsItself: the log is of this process, and does so as it accepts a deletion.
    ///   - clock: against which the age of an event is taken.
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

    /// Stores until the stream ends, the shutdown is done, or the task is cancelled.
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
                logger.error("what is accepted could not all be stored in the time for the shutdown")
            }
            group.cancelAll()
        }
    }

    private func work() async {
        let shareOut = PartitionAssigner(
            partitions: stream.partitions, locks: locks, interval: settings.balanceInterval, metrics: metrics,
            logger: logger, sleep: sleep
        ) { partition in
            let worker = PartitionWorker(
                partition: partition, stream: stream, store: store, log: log, logRedactsItself: logRedactsItself,
                metrics: metrics, logger: logger, clock: clock, tracer: tracer, sleep: sleep)
            await worker.run(BatchPlanner(partition: partition, settings: settings))
        }
        await shareOut.run()
    }
}
