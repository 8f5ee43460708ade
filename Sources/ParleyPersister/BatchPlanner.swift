package import ParleyModel

/// What the persister of one partition does next, as a value: the result of a step in, the next step out.
///
/// Exactly once comes from the order of the steps and from what the ports promise: entries leave the stream only
/// after the store has committed them, and together with them the store commits how far it has come. Ended anywhere, a
/// new planner begins with that checkpoint; what was written and not reported is not read again, or found `repeated`.
///
/// - The store is away: the same batch is written again after a wait, for ever. Nothing is given up.
/// - The store refuses a batch: its front half is tried, and so on down to one entry, which is then written as
///   refused: the store puts it among the rejects, and the rest flows. If it refuses even that, the fault is the
///   store's and not the entry's; that counts as away.
package struct BatchPlanner: Sendable {
    /// An order; its result comes back by the function named.
    package enum Step: Hashable, Sendable {
        /// `checkpointLoaded`, `checkpointFailed`.
        case loadCheckpoint
        /// `received`, `readFailed`, `readCancelled`.
        case read(after: IngestCheckpoint?, limit: Int)
        /// Let the batch fill for so long: `waited`.
        case fill(Duration)
        /// `written`, `writeFailed`.
        case write(IngestBatch)
        /// As `write`, of one event that is refused since the store has failed at it.
        case setAside(IngestBatch)
        /// Tell the stream: `reported`.
        case report(IngestBatch, [StoreOutcome])
        /// A failure, number `attempt` in a row; wait so long: `waited`.
        case backOff(Duration, attempt: Int)
        /// Is there more to drain: `backlogKnown`.
        case askBacklog
        case stop

        package var isReport: Bool {
            if case .report = self { true } else { false }
        }
    }

    private let settings: PersisterSettings
    private var backoff: Backoff
    private var checkpoint: IngestCheckpoint?
    /// What has been read and is not written, and how much of its front is written next.
    private(set) package var remaining: [IngestBatch.Entry] = []
    private var span = 0
    private var partition: Partition
    private var incarnation = ""
    private var setsAside = false
    private var isFilling = false
    private var isShuttingDown = false
    /// What comes after the wait.
    private var afterWait: Step = .loadCheckpoint

    package init(partition: Partition, settings: PersisterSettings) {
        self.partition = partition
        self.settings = settings
        backoff = settings.backoff
    }

    /// The first step.
    package func start() -> Step { .loadCheckpoint }

    /// From now on nothing new is begun, except that the stream is drained if that is the setting.
    package mutating func shutDown() {
        isShuttingDown = true
    }

    /// Whether a read may be cut short by the order to shut down.
    package var mayWait: Bool { !isShuttingDown }

    // MARK: Checkpoint and reading

    package mutating func checkpointLoaded(_ checkpoint: IngestCheckpoint?) -> Step {
        self.checkpoint = checkpoint
        backoff.reset()
        return goOn()
    }

    package mutating func checkpointFailed(using generator: inout some RandomNumberGenerator) -> Step {
        backOff(then: .loadCheckpoint, using: &generator)
    }

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

    /// The read was cut short by the order to shut down, or because the task was cancelled.
    package mutating func readCancelled() -> Step {
        isFilling = false
        return isShuttingDown ? goOn() : .stop
    }

    package mutating func backlogKnown(_ count: Int) -> Step {
        count == 0 ? .stop : read
    }

    // MARK: Writing

    package mutating func written(
        _ outcomes: [StoreOutcome], using generator: inout some RandomNumberGenerator
    ) -> Step {
        guard outcomes.count == front.entries.count else {
            return writeFailed(.failed("the store answered for another number of entries"), using: &generator)
        }
        let written = front
        remaining.removeFirst(span)
        // What was refused is behind us; the rest may be good as a whole.
        span = remaining.count
        setsAside = false
        backoff.reset()
        checkpoint = written.checkpoint
        return .report(written, outcomes)
    }

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
        remaining.isEmpty ? goOn() : write()
    }

    /// The wait is over.
    package func waited() -> Step { afterWait }

    // MARK: Parts

    private var rejection = ""

    private var read: Step { .read(after: checkpoint, limit: settings.batchLimit) }

    /// With nothing in hand.
    private func goOn() -> Step {
        guard isShuttingDown else { return read }
        return settings.drains ? .askBacklog : .stop
    }

    private func write() -> Step {
        setsAside ? .setAside(front) : .write(front)
    }

    /// What is written next.
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
