package import ParleyModel
import Synchronization

/// A plain in-memory store that exactly-once tests compare with, with fault injection.
///
/// Protected by a lock; unbounded. Complete according to the doc comments of `MessageStore`, except that it has no
/// users and titles beyond those set by `addMember` and by events.
package final class NaiveStore: MessageStore {
    /// A fault of a write.
    package enum Fault: Hashable, Sendable {
        /// Nothing is written.
        case beforeCommit(StoreError)
        /// Everything is written, but the caller gets an error.
        case afterCommit(StoreError)
    }

    private struct State {
        var tables = NaiveTables()
        var writeFaults: [Fault] = []
        var readFaults: [StoreError] = []
        var readError: StoreError?
        var refuses: @Sendable (IngestBatch.Entry) -> Bool = { _ in false }
        var writes: [Int] = []
        var lookups: [Int] = []
        var requests: [Int] = []
        var progress: [Int: Int64] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: Test control

    /// Injects faults into the next writes, in order.
    package func failWrites(_ faults: Fault...) {
        state.withLock { $0.writeFaults += faults }
    }

    /// Injects errors into the next queries (`head`, `sends`, `checkpoint`), in order.
    package func failReads(_ errors: StoreError...) {
        state.withLock { $0.readFaults += errors }
    }

    /// Makes every query fail until this is called with `nil`.
    package func setReadError(_ error: StoreError?) {
        state.withLock { $0.readError = error }
    }

    /// Makes every write fail that contains such an entry.
    package func refuse(_ isRefused: @escaping @Sendable (IngestBatch.Entry) -> Bool) {
        state.withLock { $0.refuses = isRefused }
    }

    /// Adds events without a write, as if stored earlier.
    package func seed(_ events: [LogEvent]) {
        state.withLock { state in
            for event in events { _ = state.tables.store(event) }
        }
    }

    package func addMember(_ user: User, of thread: ThreadInfo, at milliseconds: Int64) {
        state.withLock { $0.tables.addMember(user, of: thread, at: milliseconds) }
    }

    /// Removes everything of a thread, as its deletion does.
    package func remove(_ thread: ThreadID) {
        state.withLock { $0.tables.remove(thread) }
    }

    /// Forgets the `client_id`s of a user, as their erasure does.
    package func forgetNames(of user: UserID) {
        state.withLock { $0.tables.forgetNames(of: user) }
    }

    /// All stored events of a thread, in order.
    package func log(of thread: ThreadID) -> [LogEvent] {
        state.withLock { $0.tables.log(of: thread) }
    }

    package var threads: [ThreadID] { state.withLock { $0.tables.threads } }

    /// The reasons of the rejected entries, in order.
    package var rejects: [String] { state.withLock { $0.tables.rejects } }

    /// The size of each committed batch.
    package var committedBatches: [Int] { state.withLock { $0.writes } }

    /// The size of each query for sends.
    package var lookups: [Int] { state.withLock { $0.lookups } }

    /// The size of each query for deleted messages.
    package var requests: [Int] { state.withLock { $0.requests } }

    // MARK: LogHistory

    package func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead? {
        try await read { $0.head(of: thread) }
    }

    package func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?] {
        state.withLock { $0.lookups.append(queries.count) }
        return try await read { tables in queries.map { tables.send($0) } }
    }

    // MARK: MessageStore

    package func write(_ batches: [IngestBatch]) async throws(StoreError) -> [[StoreOutcome]] {
        let result: Result<[[StoreOutcome]], StoreError> = state.withLock { state in
            let fault = state.writeFaults.isEmpty ? nil : state.writeFaults.removeFirst()
            if case .beforeCommit(let error) = fault { return .failure(error) }
            let entries = batches.flatMap(\.entries)
            if entries.contains(where: state.refuses) { return .failure(.failed("an entry is refused")) }
            let outcomes = batches.map { state.tables.write($0) }
            state.writes.append(entries.count)
            if case .afterCommit(let error) = fault { return .failure(error) }
            return .success(outcomes)
        }
        return try result.get()
    }

    package func checkpoints(
        of partitions: [Partition]
    ) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        try await read { tables in
            Dictionary(
                partitions.compactMap { partition in tables.checkpoint(of: partition).map { (partition, $0) } }
            ) { _, last in last }
        }
    }

    package func note(progress: Int64, ofHost host: Int) async throws(StoreError) {
        _ = try await read { _ in }
        state.withLock { $0.progress[host] = max($0.progress[host] ?? 0, progress) }
    }

    package func progress(ofHost host: Int) async throws(StoreError) -> Int64 {
        _ = try await read { _ in }
        return state.withLock { $0.progress[host] ?? 0 }
    }

    package func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry] {
        state.withLock { $0.tables.inbox(of: user) }
    }

    package func messages(in thread: ThreadID, _ query: MessageQuery) async throws(StoreError) -> MessagePage {
        state.withLock { $0.tables.messages(in: thread, query) }
    }

    package func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage {
        state.withLock { $0.tables.history(in: thread, query) }
    }

    package func events(in thread: ThreadID, after: Int64, limit: Int) async throws(StoreError) -> LogPage {
        state.withLock { $0.tables.events(in: thread, after: after, limit: limit) }
    }

    package func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position> {
        state.withLock { Set(positions).intersection($0.tables.places(in: thread)) }
    }

    package func message(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace? {
        state.withLock { $0.tables.message(id, in: thread) }
    }

    package func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey> {
        state.withLock { state in
            state.requests.append(keys.count)
            return Set(keys.filter { state.tables.message($0.message, in: $0.thread)?.isGone == true })
        }
    }

    package func search(
        _ words: String, of user: UserID, in thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> SearchPage {
        state.withLock { $0.tables.search(words, of: user, in: thread, limit: limit) }
    }

    package func export(
        of user: UserID, after place: ExportPlace?, limit: Int
    ) async throws(StoreError) -> ExportPage {
        state.withLock { $0.tables.export(of: user, after: place, limit: limit) }
    }

    package func threads(
        of user: UserID, after place: ThreadPlace?, limit: Int
    ) async throws(StoreError) -> [ThreadSummary] {
        state.withLock { $0.tables.threads(of: user, after: place, limit: limit) }
    }

    package func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary? {
        state.withLock { $0.tables.threads(of: user, after: nil, limit: .max) }.first { $0.membership.thread.id == id }
    }

    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError) {
        state.withLock { $0.tables.markRead(thread, by: user, through: seq) }
    }

    private func read<Value: Sendable>(_ body: (NaiveTables) -> Value) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = state.withLock { state in
            if let error = state.readError { return .failure(error) }
            if !state.readFaults.isEmpty { return .failure(state.readFaults.removeFirst()) }
            return .success(body(state.tables))
        }
        return try result.get()
    }
}
