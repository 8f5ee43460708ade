import Metrics
import NIOCore
import ParleyConcurrency
import ParleyJSON
import ParleyModel
import ParleyWire

/// Encoded pages of threads: concurrent equal requests are read and encoded once.
struct ThreadPages: Sendable {
    private enum Page: Hashable, Sendable {
        case messages(ThreadID, HistoryQuery)
        case events(ThreadID, after: Int64, limit: Int)
    }

    /// The most requests that wait for a read of another one.
    private static let maximumWaiting = 10_000

    private let store: any MessageStore
    private let reads: SingleFlight<Page, ByteBuffer, StoreError>
    private let metrics: PageReadMetrics

    init(store: any MessageStore, metrics: any MetricsFactory) {
        self.store = store
        reads = SingleFlight(
            maximumWaiting: Self.maximumWaiting, overflow: .unavailable("too many page reads are waiting"))
        self.metrics = PageReadMetrics(factory: metrics)
    }

    /// The JSON of a page of messages. The caller checks access.
    func messages(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> ByteBuffer {
        try await page(.messages(thread, query)) { () async throws(StoreError) -> ByteBuffer in
            let page = try await store.history(in: thread, query)
            var writer = JSONWriter(capacity: JSONWriter.eventBytes * (page.messages.count + 1))
            writer.page(page)
            return writer.buffer
        }
    }

    /// The JSON of a page of the log.
    func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> ByteBuffer {
        try await page(.events(thread, after: seq, limit: limit)) {
            () async throws(StoreError) -> ByteBuffer in
            let page = try await store.events(in: thread, after: seq, limit: limit)
            var writer = JSONWriter(capacity: JSONWriter.eventBytes * (page.events.count + 1))
            writer.page(page)
            return writer.buffer
        }
    }

    private func page(
        _ page: Page, read: @Sendable () async throws(StoreError) -> ByteBuffer
    ) async throws(StoreError) -> ByteBuffer {
        let (value, isShared) = try await reads.value(of: page) { () async throws(StoreError) -> ByteBuffer in
            metrics.read.increment()
            return try await read()
        }
        if isShared { metrics.shared.increment() }
        return value
    }
}

/// `parley_page_reads_total` by `outcome`: `read` is a query of the store, `shared` an answer without one of its own.
private struct PageReadMetrics: Sendable {
    let read: Counter
    let shared: Counter

    init(factory: any MetricsFactory) {
        read = Counter(label: "parley_page_reads_total", dimensions: [("outcome", "read")], factory: factory)
        shared = Counter(label: "parley_page_reads_total", dimensions: [("outcome", "shared")], factory: factory)
    }
}
