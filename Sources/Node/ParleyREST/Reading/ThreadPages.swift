import Metrics
import NIOCore
import ParleyConcurrency
import ParleyJSON
import ParleyMessaging
import ParleyModel
import ParleyWire

/// Encoded pages of threads. Concurrent equal requests share one read and one encoding. The log begins at the same event for
/// all callers who share one.
struct ThreadPages: Sendable {
    private enum Page: Hashable, Sendable {
        case messages(ThreadID, HistoryQuery, firstSeq: Int64)
        case events(ThreadID, after: Int64, limit: Int, firstSeq: Int64)
    }

    /// The maximum number of requests that wait for another request's read.
    private static let maximumWaiting = 10_000

    private let messaging: Messaging
    private let reads: SingleFlight<Page, ByteBuffer, MessagingError>
    private let metrics: PageReadMetrics

    init(messaging: Messaging, metrics: any MetricsFactory) {
        self.messaging = messaging
        reads = SingleFlight(
            maximumWaiting: Self.maximumWaiting, overflow: .unavailable("too many page reads are waiting"))
        self.metrics = PageReadMetrics(factory: metrics)
    }

    /// Returns the JSON of a page of messages.
    func messages(_ query: HistoryQuery, in thread: ReadableThread) async throws(MessagingError) -> ByteBuffer {
        try await page(.messages(thread.id, query, firstSeq: thread.firstSeq)) {
            () async throws(MessagingError) -> ByteBuffer in
            let page = try await messaging.history(query, in: thread)
            var writer = JSONWriter(capacity: JSONWriter.eventBytes * (page.messages.count + 1))
            writer.page(page)
            return writer.buffer
        }
    }

    /// Returns the JSON of a page of the log.
    func events(
        after seq: Int64, limit: Int, in thread: ReadableThread
    ) async throws(MessagingError) -> ByteBuffer {
        try await page(.events(thread.id, after: seq, limit: limit, firstSeq: thread.firstSeq)) {
            () async throws(MessagingError) -> ByteBuffer in
            let page = try await messaging.events(after: seq, limit: limit, in: thread)
            var writer = JSONWriter(capacity: JSONWriter.eventBytes * (page.events.count + 1))
            writer.page(page)
            return writer.buffer
        }
    }

    private func page(
        _ page: Page, read: @Sendable () async throws(MessagingError) -> ByteBuffer
    ) async throws(MessagingError) -> ByteBuffer {
        let (value, isShared) = try await reads.value(of: page) { () async throws(MessagingError) -> ByteBuffer in
            metrics.read.increment()
            return try await read()
        }
        if isShared { metrics.shared.increment() }
        return value
    }
}

/// `parley_page_reads_total` by `outcome`: `read` for a query of the store, `shared` for a response that needed none.
private struct PageReadMetrics: Sendable {
    let read: Counter
    let shared: Counter

    init(factory: any MetricsFactory) {
        read = Counter(label: "parley_page_reads_total", dimensions: [("outcome", "read")], factory: factory)
        shared = Counter(label: "parley_page_reads_total", dimensions: [("outcome", "shared")], factory: factory)
    }
}
