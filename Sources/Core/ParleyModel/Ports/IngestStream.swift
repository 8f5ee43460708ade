/// The ordered stream of accepted events that are not stored yet, divided into partitions.
///
/// A thread lies in exactly one partition. One persister reads a partition at a time; `PartitionLocks` decides which.
package protocol IngestStream: Sendable {
    /// All partitions, in groups that are read and reported together, one for each host.
    var groups: [[Partition]] { get }

    /// The next entries of some partitions of one group: one batch for each partition that has entries, at most about
    /// `limit` entries together, shared evenly among these partitions. Waits until there is an entry, and may
    /// wait for a while for others, so that fewer writes of the store suffice.
    ///
    /// - Returns: no batch if the stream has ended.
    /// - Throws: `CancellationError` when the task is cancelled or `endWaits` was called and there is no entry,
    ///   `AppendError.unavailable` when the stream cannot be reached.
    func read(_ positions: [IngestPosition], limit: Int) async throws -> [IngestBatch]

    /// Ends the waits of present and later reads, because the process shuts down. What is there can still be read.
    func endWaits()

    /// The number of entries of a partition that are accepted and not yet reported by `stored`.
    func backlog(of partition: Partition) async throws(AppendError) -> Int

    /// The approximate size of those entries, in bytes; `nil` if unknown.
    func backlogBytes(of partition: Partition) async throws(AppendError) -> Int?

    /// Reports that the entries of batches of one group are durable and may be discarded.
    /// - Returns: the backlog of each batch's partition without them; `nil` if the stream cannot be reached.
    @discardableResult
    func stored(_ batches: [StoredBatch]) async -> [Int?]

    /// Reports that the store is unavailable, and has committed nothing of what was read from some partitions of one
    /// group.
    /// - Returns: whether the stream has refused all events of these partitions that it has not reported as stored;
    ///   then none of them may still be written. A stream whose events are accepted already keeps them: `false`.
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
    /// Changes when the stream has lost its content and starts over.
    package var incarnation: String
    /// The last stored entry, in the stream's own notation.
    package var offset: String

    package init(incarnation: String, offset: String) {
        self.incarnation = incarnation
        self.offset = offset
    }
}

/// From where on a partition is read: after the checkpoint, or from the beginning if it is `nil` or of another
/// incarnation. Entries up to the checkpoint that are still in the stream may come again.
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
        /// The event or mark; or why the entry cannot be read, with its raw content.
        package enum Content: Hashable, Sendable {
            case event(LogEvent)
            case readMark(ReadMark)
            case unreadable(reason: String, bytes: [UInt8])
            /// An event that made the store fail: it is written to the rejects without another attempt.
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
    /// In order, not empty.
    package var entries: [Entry]
    /// The backlog at the time of reading, including these entries; `nil` if unknown.
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

/// The action of the store on an entry.
package enum StoreOutcome: Hashable, Sendable {
    /// Stored under this seq, which is the event's own unless another message holds it.
    case stored(seq: Int64)
    /// Present already: written before, or the same `clientID`.
    case repeated(seq: Int64)
    /// A read mark was applied, or concerned no member.
    case marked
    /// Written to the rejects, with the reason.
    case rejected(String)
    /// The thread was deleted: nothing is kept, not even among the rejects; with the reason.
    case dropped(String)

    /// The seq of a stored event.
    package var seq: Int64? {
        switch self {
        case .stored(let seq), .repeated(let seq): seq
        case .marked, .rejected, .dropped: nil
        }
    }

    /// The event is durable, by this write or an earlier one.
    package var isStored: Bool {
        switch self {
        case .stored, .repeated: true
        case .marked, .rejected, .dropped: false
        }
    }
}
