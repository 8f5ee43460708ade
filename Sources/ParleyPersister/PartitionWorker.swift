package import Logging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Performs the steps of one partition's `BatchPlanner`.
package struct PartitionWorker: Sendable {
    private let partition: Partition
    private let stream: any IngestStream
    private let store: any MessageStore
    private let redactor: LogRedactor?
    private let metrics: PersisterMetrics
    private let logger: Logger
    private let clock: WallClock
    private let tracer: Tracer
    private let lagBytes = Throttle()
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - log: deleted content is removed from it; `nil` for none.
    ///   - logRedactsItself: whether the log is in this process and redacts deletions itself.
    ///   - clock: used to measure the age of events.
    ///   - sleep: waits; throws when the task is cancelled.
    package init(
        partition: Partition, stream: any IngestStream, store: any MessageStore, log: (any MessageLog)? = nil,
        logRedactsItself: Bool = false, metrics: PersisterMetrics, logger: Logger, clock: WallClock,
        tracer: Tracer = .off,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        var logger = logger
        logger[metadataKey: "partition"] = "\(partition.number)"
        self.partition = partition
        self.stream = stream
        self.store = store
        redactor = log.map { LogRedactor(log: $0, store: store, redactsItself: logRedactsItself) }
        self.metrics = metrics
        self.logger = logger
        self.clock = clock
        self.tracer = tracer
        self.sleep = sleep
    }

    /// Persists until the stream ends, the shutdown is complete, or the task is cancelled. What is committed is
    /// reported even then, since the next owner continues after it and would never report it.
    package func run(_ planner: consuming BatchPlanner) async {
        var step = planner.start()
        while step != .stop {
            if Task.isCancelled, !step.isReport { return }
            if Task.isShuttingDownGracefully { planner.shutDown() }
            step = await perform(step, &planner)
        }
    }

    /// Performs one step.
    /// - Returns: the next step.
    package func perform(_ step: BatchPlanner.Step, _ planner: inout BatchPlanner) async -> BatchPlanner.Step {
        var generator = SystemRandomNumberGenerator()
        switch step {
        case .loadCheckpoint:
            do throws(StoreError) {
                return planner.checkpointLoaded(try await store.checkpoint(of: partition))
            } catch {
                log(error, "failed to read the checkpoint")
                return planner.checkpointFailed(using: &generator)
            }
        case .read(let checkpoint, let limit):
            return await read(after: checkpoint, limit: limit, &planner)
        case .write(let batch), .setAside(let batch):
            if case .setAside = step { logSetAside(batch) }
            return await write(batch, &planner)
        case .report(let batch, let outcomes):
            metrics.committed(outcomes)
            noteStored(batch, outcomes)
            let backlog = await stream.stored(batch, outcomes: outcomes)
            await measureLag(planner.remaining, backlog)
            return planner.reported()
        case .fill(let duration):
            return await wait(duration, &planner)
        case .backOff(let duration, let attempt):
            metrics.retried()
            // The owner of the connection to stream or store logs its loss, once and not for each partition.
            logger.debug("retrying", metadata: ["attempt": "\(attempt)"])
            await measureLag(planner.remaining, try? await stream.backlog(of: partition))
            return await wait(duration, &planner)
        case .askBacklog:
            do throws(AppendError) {
                return planner.backlogKnown(try await stream.backlog(of: partition))
            } catch {
                return .stop
            }
        case .stop:
            return .stop
        }
    }

    private func read(
        after checkpoint: IngestCheckpoint?, limit: Int, _ planner: inout BatchPlanner
    ) async -> BatchPlanner.Step {
        var generator = SystemRandomNumberGenerator()
        do {
            let (stream, partition) = (stream, partition)
            let batch =
                if planner.mayWait {
                    try await cancelWhenGracefulShutdown {
                        try await stream.read(partition, after: checkpoint, limit: limit)
                    }
                } else {
                    try await stream.read(partition, after: checkpoint, limit: limit)
                }
            stamp(.taken, batch.entries)
            await measureLag(batch.entries, batch.backlog)
            return planner.received(batch)
        } catch is CancellationError {
            if Task.isShuttingDownGracefully { planner.shutDown() }
            return planner.readCancelled()
        } catch {
            logger.debug("failed to read the ingest stream", metadata: ["error": "\(error)"])
            return planner.readFailed(using: &generator)
        }
    }

    private func write(_ batch: IngestBatch, _ planner: inout BatchPlanner) async -> BatchPlanner.Step {
        var generator = SystemRandomNumberGenerator()
        let start = ContinuousClock.now
        defer { metrics.wrote(in: start.duration(to: .now)) }
        do throws(StoreError) {
            try await redactor?.redact(before: batch)
            let outcomes = try await store.write(batch)
            await redact(after: batch, outcomes)
            stamp(.committed, zip(batch.entries, outcomes).lazy.filter(\.1.isStored).map(\.0))
            for case .rejected(let reason) in outcomes {
                logger.error("event written to the rejects", metadata: ["reason": "\(reason)"])
            }
            return planner.written(outcomes, using: &generator)
        } catch {
            log(error, "failed to write a batch")
            return planner.writeFailed(error, using: &generator)
        }
    }

    /// What cannot be redacted now ages out of the log.
    private func redact(after batch: IngestBatch, _ outcomes: [StoreOutcome]) async {
        do throws(StoreError) {
            try await redactor?.redact(after: batch, outcomes)
        } catch {
            log(error, "failed to redact events the store did not accept")
        }
    }

    private func wait(_ duration: Duration, _ planner: inout BatchPlanner) async -> BatchPlanner.Step {
        do {
            try await sleep(duration)
            return planner.waited()
        } catch {
            return .stop
        }
    }

    /// - Parameter backlog: `nil` if unknown at the moment.
    private func measureLag(_ unstored: [IngestBatch.Entry], _ backlog: Int?) async {
        if let backlog {
            metrics.lags(partition, events: backlog)
            await measureBytes(ofBacklog: backlog)
        }
        for case .event(let event) in unstored.lazy.map(\.content) {
            metrics.lags(partition, seconds: max(0, Double(clock.milliseconds - event.milliseconds) / 1000))
            return
        }
        if backlog == 0 { metrics.lags(partition, seconds: 0) }
    }

    /// Measures the bytes of the backlog: 0 if it is empty; otherwise by a query of the stream, at long intervals,
    /// since it costs more than the count.
    private func measureBytes(ofBacklog backlog: Int) async {
        if backlog == 0 {
            metrics.lags(partition, bytes: 0)
        } else if lagBytes.isDue(at: clock.milliseconds), let bytes = try? await stream.backlogBytes(of: partition) {
            metrics.lags(partition, bytes: bytes)
        }
    }

    private func noteStored(_ batch: IngestBatch, _ outcomes: [StoreOutcome]) {
        let now = clock.milliseconds
        for (entry, outcome) in zip(batch.entries, outcomes) {
            guard case .event(let event) = entry.content, case .stored = outcome else { continue }
            metrics.stored(afterMilliseconds: now - event.milliseconds)
        }
    }

    private func stamp(_ hop: TraceStamp.Hop, _ entries: some Sequence<IngestBatch.Entry>) {
        for entry in entries {
            guard case .event(let event) = entry.content, let message = event.tracedMessage else { continue }
            tracer.stamp(hop, message)
        }
    }

    private func log(_ error: StoreError, _ message: Logger.Message) {
        switch error {
        case .unavailable(let reason): logger.debug(message, metadata: ["error": "\(reason)"])
        case .failed(let reason): logger.error(message, metadata: ["error": "\(reason)"])
        case .taken: logger.error(message, metadata: ["error": "taken"])
        }
    }

    private func logSetAside(_ batch: IngestBatch) {
        logger.error(
            "store refused an entry, writing it to the rejects",
            metadata: ["offset": "\(batch.entries.first?.offset ?? "")", "incarnation": "\(batch.incarnation)"])
    }
}

/// Permits an operation at most once every few seconds. Its state is one atomic.
private final class Throttle: Sendable {
    /// Milliseconds between two operations.
    private static let interval: Int64 = 5000

    private let next = Atomic<Int64>(0)

    /// - Parameter now: Unix milliseconds.
    func isDue(at now: Int64) -> Bool {
        guard now >= next.load(ordering: .relaxed) else { return false }
        next.store(now + Self.interval, ordering: .relaxed)
        return true
    }
}
