/// The ordered stream of accepted events that are not stored yet. It is divided into partitions.
///
/// Each thread belongs to one partition. One persister at a time reads a partition; `PartitionLocks` decides which.
package protocol IngestStream: Sendable {
    /// All partitions, grouped by host. The partitions of a group are read and reported together.
    var groups: [[Partition]] { get }

    /// Returns the next entries of some partitions of one group: one batch for each partition that has entries, about `limit`
    /// entries in total, shared evenly among these partitions. Waits until there is an entry, and may wait a little for more,
    /// so that the store needs fewer writes.
    ///
    /// - Returns: No batches if the stream has ended.
    /// - Throws: `CancellationError` if there is no entry and the task is cancelled or `endWaits` was called;
    ///   `AppendError.unavailable` if the stream cannot be reached.
    func read(_ positions: [IngestPosition], limit: Int) async throws -> [IngestBatch]

    /// Ends the waits of current and later reads, because the process shuts down. Remaining entries can still be read.
    func endWaits()

    /// The number of entries of a partition that are accepted and that `stored` has not reported yet.
    func backlog(of partition: Partition) async throws(AppendError) -> Int

    /// The approximate size of those entries, in bytes; `nil` if unknown.
    func backlogBytes(of partition: Partition) async throws(AppendError) -> Int?

    /// Reports that batches of one group are durable, so that their entries may be discarded.
    /// - Returns: The remaining backlog of each batch's partition; `nil` if the stream cannot be reached.
    @discardableResult
    func stored(_ batches: [StoredBatch]) async -> [Int?]

    /// Reports that the store is unavailable, and has committed nothing that was read from some partitions of one group.
    /// - Returns: Whether the stream has refused all events of these partitions that it has not reported as stored. If so, none
    ///   of them may still be written. A stream with accepted events keeps them and returns `false`.
    func refuseUnstored(in partitions: [Partition]) async -> Bool
}

extension IngestStream {
    package var partitions: [Partition] { groups.flatMap { $0 } }

    package func backlogBytes(of partition: Partition) async throws(AppendError) -> Int? { nil }

    package func refuseUnstored(in partitions: [Partition]) async -> Bool { false }
}

/// One of the independent parts of the ingest stream.
package struct Partition: Hashable, Sendable {
    package let number: Int

    package init(number: Int) {
        self.number = number
    }
}

/// The position up to which a partition has been stored.
package struct IngestCheckpoint: Hashable, Sendable {
    /// The identity of the stream's content. It changes when the stream has lost its content and starts over.
    package var incarnation: String
    /// The last stored entry, in the stream's own notation.
    package var offset: String

    package init(incarnation: String, offset: String) {
        self.incarnation = incarnation
        self.offset = offset
    }
}

/// The position from which a partition is read: after the checkpoint, or from the beginning if the checkpoint is `nil` or of
/// another incarnation. Entries up to the checkpoint that are still in the stream may be read again.
package struct IngestPosition: Hashable, Sendable {
    package var partition: Partition
    package var checkpoint: IngestCheckpoint?

    package init(_ partition: Partition, after checkpoint: IngestCheckpoint?) {
        self.partition = partition
        self.checkpoint = checkpoint
    }
}

/// Consecutive entries of one partition.
package struct IngestBatch: Hashable, Sendable {
    /// An entry with its place in the stream.
    package struct Entry: Hashable, Sendable {
        /// The event or read mark. For an unreadable entry: the reason and the raw content.
        package enum Content: Hashable, Sendable {
            case event(LogEvent)
            case readMark(ReadMark)
            case unreadable(reason: String, bytes: [UInt8])
            /// An event that made the store fail. It is written to the rejects without another attempt.
            case refused(LogEvent, reason: String)

            /// The event, readable or refused.
            package var anyEvent: LogEvent? {
                switch self {
                case .event(let event), .refused(let event, _): event
                case .readMark, .unreadable: nil
                }
            }
        }

        package var offset: String
        package var content: Content

        package init(offset: String, content: Content) {
            self.offset = offset
            self.content = content
        }
    }

    package var partition: Partition
    package var incarnation: String
    /// The entries in order; not empty.
    package var entries: [Entry]
    /// The backlog at the time of reading, these entries included; `nil` if unknown.
    package var backlog: Int?

    package init(partition: Partition, incarnation: String, entries: [Entry], backlog: Int? = nil) {
        self.partition = partition
        self.incarnation = incarnation
        self.entries = entries
        self.backlog = backlog
    }

    /// The partition's checkpoint after this batch; `nil` for an empty batch.
    package var checkpoint: IngestCheckpoint? {
        entries.last.map { IngestCheckpoint(incarnation: incarnation, offset: $0.offset) }
    }
}

/// A batch, with one outcome for each of its entries.
package struct StoredBatch: Hashable, Sendable {
    package var batch: IngestBatch
    package var outcomes: [StoreOutcome]

    package init(_ batch: IngestBatch, _ outcomes: [StoreOutcome]) {
        self.batch = batch
        self.outcomes = outcomes
    }
}

/// The store's treatment of an entry.
package enum StoreOutcome: Hashable, Sendable {
    /// The event was stored under this seq, which is the event's own unless another message has it.
    case stored(seq: Int64)
    /// The event was already present: it was written before, or its `clientID` was.
    case repeated(seq: Int64)
    /// A read mark was applied, or did not concern a member.
    case marked
    /// The entry was written to the rejects, with the reason.
    case rejected(String)
    /// The thread was deleted, so nothing is kept, not even among the rejects. Has the reason.
    case dropped(String)

    /// The seq of a stored event.
    package var seq: Int64? {
        switch self {
        case .stored(let seq), .repeated(let seq): seq
        case .marked, .rejected, .dropped: nil
        }
    }

    /// Whether the event is durable, by this write or an earlier one.
    package var isStored: Bool {
        switch self {
        case .stored, .repeated: true
        case .marked, .rejected, .dropped: false
        }
    }
}
