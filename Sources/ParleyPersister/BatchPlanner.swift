import ParleyConcurrency
package import ParleyModel

/// The state machine of one partition's persister, as a value: the result of a step in, the next step out.
///
/// Exactly-once storage follows from the order of the steps and the guarantees of the ports: entries leave the stream
/// only after the store has committed them, and the store commits the checkpoint in the same transaction. After an
/// interruption at any point, a new planner begins with that checkpoint; entries written and not reported are not read
/// again, or found `repeated`.
///
/// - While the store is unavailable, the same batch is written again after a delay, forever. Nothing is given up.
/// - If the store rejects a batch, its front half is tried, and so on down to one entry, which is then written as
///   refused: the store puts it among the rejects, and the rest continues. If the store rejects even that, the fault is
///   in the store and not in the entry, and it counts as unavailable.
package struct BatchPlanner: Sendable {
    /// A step for the owner to perform; its result is reported by the method named.
    package enum Step: Hashable, Sendable {
        /// Result: `checkpointLoaded` or `checkpointFailed`.
        case loadCheckpoint
        /// Result: `received`, `readFailed` or `readCancelled`.
        case read(after: IngestCheckpoint?, limit: Int)
        /// Wait for the batch to fill. Result: `waited`.
        case fill(Duration)
        /// Result: `written` or `writeFailed`.
        case write(IngestBatch)
        /// As `write`, for a single event that is refused because the store failed at it.
        case setAside(IngestBatch)
        /// Report the outcomes to the stream. Result: `reported`.
        case report(IngestBatch, [StoreOutcome])
        /// Wait after failure number `attempt` in a row. Result: `waited`.
        case backOff(Duration, attempt: Int)
        /// Ask whether there is more to drain. Result: `backlogKnown`.
        case askBacklog
        case stop

        package var isReport: Bool {
            if case .report = self { true } else { false }
        }
    }

    private let settings: PersisterSettings
    private var backoff: Backoff
    private var checkpoint: IngestCheckpoint?
    /// Entries read and not written; `span` of them, from the front, are written next.
    private(set) package var remaining: [IngestBatch.Entry] = []
    private var span = 0
    private var partition: Partition
    private var incarnation = ""
    private var setsAside = false
    private var isFilling = false
    private var isShuttingDown = false
    /// The step after the wait.
    private var afterWait: Step = .loadCheckpoint

    package init(partition: Partition, settings: PersisterSettings) {
        self.partition = partition
        self.settings = settings
        backoff = settings.backoff
    }

    /// The first step.
    package func start() -> Step { .loadCheckpoint }

    /// Starts no new work from now on, except for draining the stream if that is configured.
    package mutating func shutDown() {
        isShuttingDown = true
    }

    /// Whether a shutdown may interrupt a read.
    package var mayWait: Bool { !isShuttingDown }

    // MARK: Checkpoint and reading

    package mutating func checkpointLoaded(_ checkpoint: IngestCheckpoint?) -> Step {
        self.checkpoint = checkpoint
        backoff.reset()
        return nextStep()
    }

    package mutating func checkpointFailed(using generator: inout some RandomNumberGenerator) -> Step {
        backOff(then: .loadCheckpoint, using: &generator)
    }

    /// Entries were read; an empty batch means that the stream has ended.
    package mutating func received(_ batch: IngestBatch) -> Step {
        guard !batch.entries.isEmpty else { return .stop }
        backoff.reset()
        let isFull = batch.entries.count >= settings.batchLimit
        if !isFilling, !isFull, !isShuttingDown, settings.maximumDelay > .zero {
            isFilling = true
            afterWait = read
            return .fill(settings.maximumDelay)
        }
        isFilling = false
        incarnation = batch.incarnation
        remaining = batch.entries
        span = remaining.count
        setsAside = false
        return write()
    }

    package mutating func readFailed(using generator: inout some RandomNumberGenerator) -> Step {
        isFilling = false
        return backOff(then: read, using: &generator)
    }

    /// The read was interrupted by a shutdown, or because the task was cancelled.
    package mutating func readCancelled() -> Step {
        isFilling = false
        return isShuttingDown ? nextStep() : .stop
    }

    /// The number of entries left to drain.
    package mutating func backlogKnown(_ count: Int) -> Step {
        count == 0 ? .stop : read
    }

    // MARK: Writing

    /// The store has committed the batch, with one outcome for each entry in order.
    package mutating func written(
        _ outcomes: [StoreOutcome], using generator: inout some RandomNumberGenerator
    ) -> Step {
        guard outcomes.count == front.entries.count else {
            return writeFailed(.failed("the store answered for another number of entries"), using: &generator)
        }
        let written = front
        remaining.removeFirst(span)
        // The refused entry is done; the rest may succeed as a whole.
        span = remaining.count
        setsAside = false
        backoff.reset()
        checkpoint = written.checkpoint
        return .report(written, outcomes)
    }

    /// The store has committed nothing of the batch.
    package mutating func writeFailed(
        _ error: StoreError, using generator: inout some RandomNumberGenerator
    ) -> Step {
        switch error {
        case .unavailable:
            return backOff(then: write(), using: &generator)
        case .failed, .taken:
            if span > 1 {
                span /= 2
                return write()
            }
            if !setsAside, case .event = remaining[0].content {
                setsAside = true
                rejection = "\(error)"
                return write()
            }
            setsAside = false
            return backOff(then: write(), using: &generator)
        }
    }

    package mutating func reported() -> Step {
        remaining.isEmpty ? nextStep() : write()
    }

    /// The wait has ended.
    package func waited() -> Step { afterWait }

    // MARK: Internals

    private var rejection = ""

    private var read: Step { .read(after: checkpoint, limit: settings.batchLimit) }

    /// The next step when nothing is buffered.
    private func nextStep() -> Step {
        guard isShuttingDown else { return read }
        return settings.drains ? .askBacklog : .stop
    }

    private func write() -> Step {
        setsAside ? .setAside(front) : .write(front)
    }

    /// The entries to be written next.
    private var front: IngestBatch {
        var entries = Array(remaining.prefix(span))
        if setsAside, case .event(let event) = entries[0].content {
            entries[0].content = .refused(event, reason: "the store refused it: \(rejection)")
        }
        return IngestBatch(partition: partition, incarnation: incarnation, entries: entries)
    }

    private mutating func backOff(then step: Step, using generator: inout some RandomNumberGenerator) -> Step {
        afterWait = step
        let wait = backoff.next(using: &generator)
        return .backOff(wait, attempt: backoff.failures)
    }
}
