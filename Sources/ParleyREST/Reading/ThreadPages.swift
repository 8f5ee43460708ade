import Metrics
import NIOCore
import ParleyJSON
import ParleyModel
import ParleyWire

/// Encoded pages of threads: concurrent equal requests are read and encoded once.
struct ThreadPages: Sendable {
    private enum Page: Hashable, Sendable {
        case messages(ThreadID, HistoryQuery)
        case events(ThreadID, after: Int64, limit: Int)
    }

    private let store: any MessageStore
    private let reads: SingleFlight<Page, ByteBuffer>

    init(store: any MessageStore, metrics: any MetricsFactory) {
        self.store = store
        reads = SingleFlight(metrics: SingleFlightMetrics(factory: metrics))
    }

    /// The JSON of a page of messages. The caller checks access.
    func messages(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> ByteBuffer {
        try await reads.value(of: .messages(thread, query)) { () async throws(StoreError) -> ByteBuffer in
            let page = try await store.history(in: thread, query)
            var writer = JSONWriter(capacity: JSONWriter.eventBytes * (page.messages.count + 1))
            writer.page(page)
            return writer.buffer
        }
    }

    /// The JSON of a page of the log.
    func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> ByteBuffer {
        try await reads.value(of: .events(thread, after: seq, limit: limit)) {
            () async throws(StoreError) -> ByteBuffer in
            let page = try await store.events(in: thread, after: seq, limit: limit)
            var writer = JSONWriter(capacity: JSONWriter.eventBytes * (page.events.count + 1))
            writer.page(page)
            return writer.buffer
        }
    }
}
