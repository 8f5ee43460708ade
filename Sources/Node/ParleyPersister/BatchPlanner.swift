import ParleyConcurrency
package import ParleyModel

/// The state machine of the writer of a group of partitions, as a value: the result of a step in, the next step out.
///
/// Exactly-once storage follows from the order of the steps and the guarantees of the ports: entries leave the stream
/// only after the store has committed them, and the store commits the checkpoints in the same transaction. After an
/// interruption at any point, a new planner begins with those checkpoints; entries written and not reported are not
/// read again, or found `repeated`.
///
/// - What a read returns of all partitions is written in one transaction.
/// - While the store is unavailable, the same batches are written again after a delay, forever. Nothing is given up,
///   unless the stream has refused it.
/// - If the store rejects the batches, the front half of their entries is tried, and so on down to one entry, which is
///   then written as refused: the store puts it among the rejects, and the rest continues. If the store rejects even
///   that, the fault is in the store and not in the entry, and it counts as unavailable.
package struct BatchPlanner: Sendable {
    /// A step for the owner to perform; its result is reported by the method named.
    package enum Step: Hashable, Sendable {
        /// Result: `checkpointsLoaded` or `checkpointsFailed`.
        case loadCheckpoints([Partition])
        /// Result: `received`, `readFailed` or `readCancelled`.
        case read([IngestPosition], limit: Int)
        /// Result: `written` or `writeFailed`.
        case write([IngestBatch])
        /// As `write`, for a single event that is refused because the store failed at it.
        case setAside(IngestBatch)
        /// Report the outcomes to the stream. Result: `reported`.
        case report([StoredBatch])
        /// Wait after failure number `attempt` in a row. Result: `waited`.
        case backOff(Duration, attempt: Int)
        /// Ask how much is left to drain. Result: `backlogKnown`.
        case askBacklog([Partition])
        case stop

        package var isReport: Bool {
            if case .report = self { true } else { false }
        }
    }

    /// An entry that was read and is not written.
    package struct Pending: Hashable, Sendable {
        package var partition: Partition
        package var incarnation: String
        package var entry: IngestBatch.Entry
    }

    private let settings: PersisterSettings
    private var backoff: Backoff
    private let partitions: [Partition]
    /// The position up to which each partition was read.
    private var checkpoints: [Partition: IngestCheckpoint] = [:]
    /// Entries read and not written, each partition's in order; `span` of them, from the front, are written next.
    private(set) package var pending: [Pending] = []
    private var span = 0
    /// The first `span` pending entries, as they are being written.
    private var writing: [IngestBatch] = []
    private var setsAside = false
    private var rejection = ""
    private var isShuttingDown = false
    /// The step after the wait.
    private var afterWait: Step = .stop

    package init(partitions: [Partition], settings: PersisterSettings) {
        self.partitions = partitions
        self.settings = settings
        backoff = settings.backoff
    }

    /// The first step.
    package func start() -> Step { .loadCheckpoints(partitions) }

    /// Starts no new work from now on, except for draining the stream if that is configured.
    package mutating func shutDown() {
        isShuttingDown = true
    }

    // MARK: Checkpoints and reading

    package mutating func checkpointsLoaded(_ checkpoints: [Partition: IngestCheckpoint]) -> Step {
        self.checkpoints = checkpoints
        backoff.reset()
        return nextStep()
    }

    package mutating func checkpointsFailed(using generator: inout some RandomNumberGenerator) -> Step {
        backOff(then: start(), using: &generator)
    }

    /// Entries were read. No batches mean that the stream has ended.
    package mutating func received(_ batches: [IngestBatch]) -> Step {
        backoff.reset()
        for batch in batches where !batch.entries.isEmpty {
            pending += batch.entries.map {
                Pending(partition: batch.partition, incarnation: batch.incarnation, entry: $0)
            }
            checkpoints[batch.partition] = batch.checkpoint
        }
        guard !pending.isEmpty else { return .stop }
        span = pending.count
        setsAside = false
        return write()
    }

    package mutating func readFailed(using generator: inout some RandomNumberGenerator) -> Step {
        backOff(then: read, using: &generator)
    }

    /// The read was interrupted by a shutdown, or because the task was cancelled.
    package mutating func readCancelled() -> Step {
        isShuttingDown ? nextStep() : .stop
    }

    /// The number of entries left to drain.
    package mutating func backlogKnown(_ count: Int) -> Step {
        count == 0 ? .stop : read
    }

    // MARK: Writing

    /// The store has committed the batches, with one outcome for each entry.
    package mutating func written(
        _ outcomes: [[StoreOutcome]], using generator: inout some RandomNumberGenerator
    ) -> Step {
        let batches = writing
        guard outcomes.map(\.count) == batches.map(\.entries.count) else {
            return writeFailed(.failed("the store returned another number of results than entries"), using: &generator)
        }
        pending.removeFirst(span)
        // The refused entry is done; the rest may succeed as a whole.
        span = pending.count
        setsAside = false
        backoff.reset()
        return .report(zip(batches, outcomes).map { StoredBatch($0, $1) })
    }

    /// The store has committed nothing of the batches.
    package mutating func writeFailed(
        _ error: StoreError, using generator: inout some RandomNumberGenerator
    ) -> Step {
        switch error {
        case .unavailable:
            return backOff(then: write(), using: &generator)
        case .failed, .taken, .noAvatar:
            if span > 1 {
                span /= 2
                return write()
            }
            if !setsAside, case .event = pending[0].entry.content {
                setsAside = true
                rejection = "\(error)"
                return write()
            }
            setsAside = false
            return backOff(then: write(), using: &generator)
        }
    }

    /// The store is unavailable, and the stream has refused everything that is not stored: nothing is written again.
    package mutating func refused() -> Step {
        pending = []
        span = 0
        setsAside = false
        return nextStep()
    }

    package mutating func reported() -> Step {
        pending.isEmpty ? nextStep() : write()
    }

    /// The wait has ended.
    package func waited() -> Step { afterWait }

    // MARK: Internals

    private var read: Step {
        .read(partitions.map { IngestPosition($0, after: checkpoints[$0]) }, limit: settings.batchLimit)
    }

    /// The next step when nothing is pending.
    private func nextStep() -> Step {
        guard isShuttingDown else { return read }
        return settings.drains ? .askBacklog(partitions) : .stop
    }

    private mutating func write() -> Step {
        writing = front
        return setsAside ? .setAside(writing[0]) : .write(writing)
    }

    /// The entries to be written next.
    private var front: [IngestBatch] {
        var batches: [IngestBatch] = []
        var places: [Partition: Int] = [:]
        for item in pending.prefix(span) {
            var entry = item.entry
            if setsAside, case .event(let event) = entry.content {
                entry.content = .refused(event, reason: "the store rejected it: \(rejection)")
            }
            if let place = places[item.partition] {
                batches[place].entries.append(entry)
            } else {
                places[item.partition] = batches.count
                batches.append(
                    IngestBatch(partition: item.partition, incarnation: item.incarnation, entries: [entry]))
            }
        }
        return batches
    }

    private mutating func backOff(then step: Step, using generator: inout some RandomNumberGenerator) -> Step {
        afterWait = step
        let wait = backoff.next(using: &generator)
        return .backOff(wait, attempt: backoff.failures)
    }
}
