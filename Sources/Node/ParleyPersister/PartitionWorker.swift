package import Logging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Performs the steps of the `BatchPlanner` of a group of partitions.
package struct PartitionWorker: Sendable {
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
        stream: any IngestStream, store: any MessageStore, log: (any MessageLog)? = nil,
        logRedactsItself: Bool = false, metrics: PersisterMetrics, logger: Logger, clock: WallClock,
        tracer: Tracer = .off,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
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
        var planner = planner
        // Once for all reads: a task that is cancelled for each of them would cost more than a read from memory.
        await withGracefulShutdownHandler {
            var step = planner.start()
            while step != .stop {
                if Task.isCancelled, !step.isReport { return }
                if Task.isShuttingDownGracefully { planner.shutDown() }
                step = await perform(step, &planner)
            }
        } onGracefulShutdown: { [stream] in
            stream.endWaits()
        }
    }

    /// Performs one step.
    /// - Returns: the next step.
    package func perform(_ step: BatchPlanner.Step, _ planner: inout BatchPlanner) async -> BatchPlanner.Step {
        var generator = SystemRandomNumberGenerator()
        switch step {
        case .loadCheckpoints(let partitions):
            do throws(StoreError) {
                return planner.checkpointsLoaded(try await store.checkpoints(of: partitions))
            } catch {
                log(error, "failed to read the checkpoints")
                return planner.checkpointsFailed(using: &generator)
            }
        case .read(let positions, let limit):
            return await read(positions, limit: limit, &planner)
        case .write(let batches):
            return await write(batches, &planner)
        case .setAside(let batch):
            logSetAside(batch)
            return await write([batch], &planner)
        case .report(let batches):
            metrics.committed(batches.flatMap(\.outcomes))
            for stored in batches { noteStored(stored) }
            let backlogs = await stream.stored(batches)
            let backlog = Dictionary(zip(batches.map(\.batch.partition), backlogs)) { _, last in last }
            await measureLag(planner.pending, backlog.compactMapValues { $0 })
            return planner.reported()
        case .backOff(let duration, let attempt):
            metrics.retried()
            // The owner of the connection to stream or store logs its loss, once and not for each partition.
            logger.debug("retrying", metadata: ["attempt": "\(attempt)"])
            var backlog: [Partition: Int] = [:]
            for partition in Set(planner.pending.map(\.partition)) {
                backlog[partition] = try? await stream.backlog(of: partition)
            }
            await measureLag(planner.pending, backlog)
            return await wait(duration, &planner)
        case .askBacklog(let partitions):
            do throws(AppendError) {
                var count = 0
                for partition in partitions { count += try await stream.backlog(of: partition) }
                return planner.backlogKnown(count)
            } catch {
                return .stop
            }
        case .stop:
            return .stop
        }
    }

    private func read(
        _ positions: [IngestPosition], limit: Int, _ planner: inout BatchPlanner
    ) async -> BatchPlanner.Step {
        var generator = SystemRandomNumberGenerator()
        do {
            let batches = try await stream.read(positions, limit: limit)
            for batch in batches { stamp(.taken, batch.entries) }
            let step = planner.received(batches)
            // A write is measured when it has ended, whether it succeeds or not.
            if case .write = step { return step }
            let backlog = Dictionary(batches.map { ($0.partition, $0.backlog) }) { _, last in last }
            await measureLag(planner.pending, backlog.compactMapValues { $0 })
            return step
        } catch is CancellationError {
            if Task.isShuttingDownGracefully { planner.shutDown() }
            return planner.readCancelled()
        } catch {
            logger.debug("failed to read the ingest stream", metadata: ["error": "\(error)"])
            return planner.readFailed(using: &generator)
        }
    }

    private func write(_ batches: [IngestBatch], _ planner: inout BatchPlanner) async -> BatchPlanner.Step {
        var generator = SystemRandomNumberGenerator()
        let start = ContinuousClock.now
        defer { metrics.wrote(in: start.duration(to: .now)) }
        do throws(StoreError) {
            try await redactor?.redact(before: batches)
            let outcomes = try await store.write(batches)
            for (batch, outcomes) in zip(batches, outcomes) {
                await redact(after: batch, outcomes)
                stamp(.committed, zip(batch.entries, outcomes).lazy.filter(\.1.isStored).map(\.0))
                for case .rejected(let reason) in outcomes {
                    logger.error("event written to the rejects", metadata: ["reason": "\(reason)"])
                }
            }
            return planner.written(outcomes, using: &generator)
        } catch {
            log(error, "failed to write a batch")
            // All that the planner drops, which may be more than what was written.
            let partitions = Set(planner.pending.map(\.partition))
            if case .unavailable = error, await stream.refuseUnstored(in: Array(partitions)) {
                return planner.refused()
            }
            return planner.writeFailed(error, using: &generator)
        }
    }

    /// Redacts what a batch has deleted. If that fails, the events age out of the log.
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

    /// - Parameter backlog: the backlogs of the partitions with a known one.
    private func measureLag(_ unstored: [BatchPlanner.Pending], _ backlog: [Partition: Int]) async {
        let now = clock.milliseconds
        var oldest: [Partition: Int64] = [:]
        for item in unstored where oldest[item.partition] == nil {
            if case .event(let event) = item.entry.content { oldest[item.partition] = event.milliseconds }
        }
        for (partition, milliseconds) in oldest {
            metrics.lags(partition, seconds: max(0, Double(now - milliseconds) / 1000))
        }
        for (partition, count) in backlog {
            metrics.lags(partition, events: count)
            if count == 0 { metrics.lags(partition, seconds: 0) }
        }
        await measureBytes(of: backlog, at: now)
    }

    /// Measures the bytes of backlogs: 0 if empty; otherwise by queries of the stream, at long intervals, since they
    /// cost more than the count.
    private func measureBytes(of backlog: [Partition: Int], at now: Int64) async {
        let isDue = backlog.values.contains { $0 > 0 } && lagBytes.isDue(at: now)
        for (partition, count) in backlog {
            if count == 0 {
                metrics.lags(partition, bytes: 0)
            } else if isDue, let bytes = try? await stream.backlogBytes(of: partition) {
                metrics.lags(partition, bytes: bytes)
            }
        }
    }

    private func noteStored(_ stored: StoredBatch) {
        let now = clock.milliseconds
        for (entry, outcome) in zip(stored.batch.entries, stored.outcomes) {
            guard case .event(let event) = entry.content, case .stored = outcome else { continue }
            metrics.stored(after: LogBounds.age(of: event.milliseconds, at: now))
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
        case .taken, .noAvatar: logger.error(message, metadata: ["error": "\(error)"])
        }
    }

    private func logSetAside(_ batch: IngestBatch) {
        logger.error(
            "store rejected an entry, writing it to the rejects",
            metadata: [
                "partition": "\(batch.partition.number)", "offset": "\(batch.entries.first?.offset ?? "")",
                "incarnation": "\(batch.incarnation)",
            ])
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
