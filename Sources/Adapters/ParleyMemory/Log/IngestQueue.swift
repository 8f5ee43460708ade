import DequeModule
package import ParleyModel

/// One partition of a memory log's ingest stream. Offsets are 1, 2, 3 … in decimal.
package struct IngestQueue: Sendable {
    /// An event that is not stored yet.
    package struct Element: Hashable, Sendable {
        package var event: LogEvent
        /// The append to complete when the event is stored, if it waits for that.
        package var request: AppendID?
        /// The key of the send, if it has one.
        package var key: IdempotencyKey?

        package init(event: LogEvent, request: AppendID? = nil, key: IdempotencyKey? = nil) {
            self.event = event
            self.request = request
            self.key = key
        }
    }

    /// The length from which on a queue that runs empty gives its storage back; a `Deque` never shrinks by itself.
    private static var burstCount: Int { 1024 }

    private var elements = Deque<Element>()
    /// The most elements since the storage was given back.
    private var peakCount = 0
    /// The offset of the front element, or of the next one if the queue is empty.
    private var firstOffset: Int64 = 1

    package init() {}

    package var count: Int { elements.count }

    package mutating func append(_ element: Element) {
        elements.append(element)
        peakCount = max(peakCount, elements.count)
    }

    /// Removes and returns the front element if its offset is at most `offset`.
    package mutating func popFirst(through offset: Int64) -> (offset: Int64, element: Element)? {
        guard firstOffset <= offset, let element = elements.popFirst() else { return nil }
        if elements.isEmpty, peakCount > Self.burstCount {
            elements = Deque()
            peakCount = 0
        }
        defer { firstOffset += 1 }
        return (firstOffset, element)
    }

    /// At most `limit` elements with an offset above `offset`, in order.
    package func entries(after offset: Int64, limit: Int) -> [IngestBatch.Entry] {
        let start = Int(max(0, min(offset, firstOffset + Int64(elements.count) - 1) + 1 - firstOffset))
        let end = min(elements.count, start + max(0, limit))
        guard start < end else { return [] }
        return (start..<end).map { index in
            IngestBatch.Entry(
                offset: String(firstOffset + Int64(index)), content: .event(elements[index].event))
        }
    }

    /// Whether a message is here.
    package func contains(_ id: MessageID) -> Bool {
        elements.contains { $0.event.message?.id == id }
    }

    /// Redacts the edits of a thread before they are accepted. Other events reach the store unchanged; it redacts them.
    package mutating func redactEdits(of thread: ThreadID, by redaction: LogRedaction) {
        for index in 0..<elements.count {
            let event = elements[index].event
            guard event.thread == thread, case .edited = event.body,
                let placeholder = redaction.placeholder(for: event)
            else { continue }
            elements[index].event = placeholder
        }
    }

    /// Removes and returns all elements.
    package mutating func removeAll() -> [Element] {
        var taken: [Element] = []
        while let element = popFirst(through: .max) { taken.append(element.element) }
        return taken
    }
}

/// The assignment of threads to partitions of a memory log.
enum PartitionMap {
    /// The partition of a thread: 32-bit FNV-1a (draft-eastlake-fnv) of its id, reduced to `count` partitions.
    static func number(of thread: ThreadID, count: Int) -> Int {
        guard count > 1 else { return 0 }
        var hash: UInt32 = 0x811c_9dc5
        for byte in thread.text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(hash) % count
    }
}
