import ParleyModel
import Synchronization

/// A store that counts reads of pages, searches and exports, and blocks them while its gate is closed.
final class GatedStore: MessageStore {
    private struct State {
        var isShut = false
        var pages = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let store: any MessageStore
    private let state = Mutex(State())

    init(_ store: any MessageStore) {
        self.store = store
    }

    /// The number of page reads, including blocked ones.
    var pages: Int { state.withLock { $0.pages } }

    func shut() {
        state.withLock { $0.isShut = true }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isShut = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    private func pass() async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.pages += 1
                if state.isShut { state.waiting.append(continuation) }
                return state.isShut
            }
            if !isHeld { continuation.resume() }
        }
    }

    func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage {
        let page = try await store.history(in: thread, query)
        await pass()
        return page
    }

    func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> LogPage {
        let page = try await store.events(in: thread, after: seq, limit: limit)
        await pass()
        return page
    }

    func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position> {
        try await store.stored(positions, in: thread)
    }

    func message(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace? {
        try await store.message(id, in: thread)
    }

    func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey> {
        try await store.gone(among: keys)
    }

    func search(
        _ words: String, of user: UserID, in thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> SearchPage {
        let page = try await store.search(words, of: user, in: thread, limit: limit)
        await pass()
        return page
    }

    func export(
        of user: UserID, after place: ExportPlace?, limit: Int
    ) async throws(StoreError) -> ExportPage {
        let page = try await store.export(of: user, after: place, limit: limit)
        await pass()
        return page
    }

    func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead? { try await store.head(of: thread) }

    func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?] { try await store.sends(queries) }

    func write(_ batches: [IngestBatch]) async throws(StoreError) -> [[StoreOutcome]] {
        try await store.write(batches)
    }

    func checkpoints(of partitions: [Partition]) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        try await store.checkpoints(of: partitions)
    }

    func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry] { try await store.inbox(of: user) }

    func messages(in thread: ThreadID, _ query: MessageQuery) async throws(StoreError) -> MessagePage {
        try await store.messages(in: thread, query)
    }

    func threads(
        of user: UserID, after place: ThreadPlace?, limit: Int
    ) async throws(StoreError) -> [ThreadSummary] {
        try await store.threads(of: user, after: place, limit: limit)
    }

    func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary? {
        try await store.thread(id, of: user)
    }

    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError) {
        try await store.markRead(thread, by: user, through: seq, at: milliseconds)
    }
}
