/// Everything accepted and not yet stored, in order, cut into partitions.
///
/// A thread lies wholly in one partition. One persister reads a partition at a time; who that is, is not decided here.
package protocol IngestStream: Sendable {
    var partitions: [Partition] { get }

    /// The next entries of a partition after `checkpoint`, at most `limit`, in order; waits until there is one.
    ///
    /// `nil` or a checkpoint of another incarnation reads from the beginning.
    /// - Throws: `CancellationError` when the task is cancelled, `AppendError.unavailable` when the stream is away.
    func read(_ partition: Partition, after checkpoint: IngestCheckpoint?, limit: Int) async throws -> IngestBatch

    /// How many entries of a partition are accepted and not yet reported by `stored`.
    func backlog(of partition: Partition) async throws(AppendError) -> Int

    /// How many bytes those entries take, roughly; `nil` if that is not known.
    func backlogBytes(of partition: Partition) async throws(AppendError) -> Int?

    /// The entries of `batch` are stored for good and can be forgotten; `outcomes` has one element for each of them.
    /// - Returns: the backlog without them; `nil` if the stream is away.
    @discardableResult
    func stored(_ batch: IngestBatch, outcomes: [StoreOutcome]) async -> Int?
}

extension IngestStream {
    package func backlogBytes(of partition: Partition) async throws(AppendError) -> Int? { nil }
}

/// One of the independent parts of the ingest stream.
package struct Partition: Hashable, Sendable {
    package let number: Int

    package init(number: Int) {
        self.number = number
    }
}

/// How far a partition has been stored.
package struct IngestCheckpoint: Hashable, Sendable {
    /// Changes when the stream has lost its content and begins anew.
    package var incarnation: String
    /// The last entry stored, in the stream's own notation.
    package var offset: String

    package init(incarnation: String, offset: String) {
        self.incarnation = incarnation
        self.offset = offset
    }
}

/// Consecutive entries of one partition.
package struct IngestBatch: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// The event or mark, or why the entry cannot be read and what it was.
        package enum Content: Hashable, Sendable {
            case event(LogEvent)
            case readMark(ReadMark)
            case unreadable(reason: String, bytes: [UInt8])
            /// An event that the store has failed at: it goes among the rejects untried.
            case refused(LogEvent, reason: String)

            /// The event, whatever is to become of it.
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
    /// In order; empty only if the stream ended.
    package var entries: [Entry]
    /// The backlog when they were read, themselves included; `nil` if the reading did not tell.
    package var backlog: Int?

    package init(partition: Partition, incarnation: String, entries: [Entry], backlog: Int? = nil) {
        self.partition = partition
        self.incarnation = incarnation
        self.entries = entries
        self.backlog = backlog
    }

    /// How far the partition is stored once this batch is; `nil` for an empty batch.
    package var checkpoint: IngestCheckpoint? {
        entries.last.map { IngestCheckpoint(incarnation: incarnation, offset: $0.offset) }
    }
}

/// What became of an entry.
package enum StoreOutcome: Hashable, Sendable {
    /// Stored under this seq, which is the event's own unless another message had it.
    case stored(seq: Int64)
    /// It was there already: written before, or the same `clientID`.
    case repeated(seq: Int64)
    /// A read mark was carried out, or was for nobody who is a member.
    case marked
    /// Set aside among the rejects, with the reason.
    case rejected(String)
    /// It is of a thread that was deleted since, so nothing of it is kept, here or among the rejects; with the reason.
    case dropped(String)

    /// The event is in the store for good, now or from before.
    package var isStored: Bool {
        switch self {
        case .stored, .repeated: true
        case .marked, .rejected, .dropped: false
        }
    }
}
