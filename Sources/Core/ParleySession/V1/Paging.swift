import ParleyModel
import ParleyWire

/// A page of a thread's log that is being read for the client.
struct Paging: Sendable {
    /// Maximum bytes of text in a page with more than one event; the rest is left to the next page.
    static let textLimit = 262_144

    let number: UInt64
    let ref: Int64?
    private(set) var request: V1HistoryRequest
    /// The seq of the first event that the user sees.
    private let firstSeq: Int64
    private var head: Position?
    private var bounds: (after: Int64, through: Int64) = (0, 0)
    private(set) var reader: RangeReader?
    private var events: [LogEvent] = []

    init(number: UInt64, ref: Int64?, request: V1HistoryRequest, firstSeq: Int64 = 1) {
        self.firstSeq = firstSeq
        self.number = number
        self.ref = ref
        self.request = request
        if let after = request.after { self.request.after = max(after, firstSeq - 1) }
    }

    /// Starts reading, with the end of the log; `nil` for a thread without events.
    mutating func begin(head: Position?) {
        self.head = head
        bounds = request.bounds(head: head?.seq ?? 0)
        bounds.after = max(bounds.after, firstSeq - 1)
        bounds.through = max(bounds.through, bounds.after)
        // Any epoch: a page shows the present log, and the client compares the epoch.
        reader = RangeReader(
            epoch: nil, after: bounds.after, through: bounds.through, chunk: Int(V1Limits.historyEvents))
    }

    mutating func log(_ slice: LogSlice?) {
        guard var reader else { return }
        events += reader.log(slice).compactMap { $0.shown(from: firstSeq) }
        self.reader = reader
    }

    mutating func store(_ page: LogPage?) {
        guard var reader else { return }
        events += reader.store(page).compactMap { $0.shown(from: firstSeq) }
        self.reader = reader
    }

    mutating func retry() {
        reader?.retry()
    }

    /// The page, once the reader is done.
    var page: V1Page {
        var (after, through) = bounds
        let kept = fitting
        if kept.count < events.count {
            if request.after == nil {
                after = (kept.first?.position.seq ?? 1) - 1
            } else {
                through = kept.last?.position.seq ?? through
            }
        }
        return V1Page(
            ref: ref, thread: request.thread, head: head, events: Array(kept), hasMoreBefore: after > firstSeq - 1,
            hasMoreAfter: through < head?.seq ?? 0)
    }

    /// The events that fit, from the side of the page where the client began.
    private var fitting: ArraySlice<LogEvent> {
        var rest = Self.textLimit
        func fits(_ event: LogEvent) -> Bool {
            rest -= event.textBytes
            return rest > 0
        }
        if request.after == nil {
            let count = events.reversed().prefix(while: fits).count
            return events.suffix(max(count, 1))
        }
        return events.prefix(max(events.prefix(while: fits).count, 1))
    }
}

extension LogEvent {
    /// Approximate bytes of the text and parts in a frame.
    fileprivate var textBytes: Int {
        switch body {
        case .message(let message):
            message.text.utf8.count + 256
                + message.parts.reduce(0) { bytes, part in
                    switch part {
                    case .text(let text): bytes + text.utf8.count
                    case .geo(let json): bytes + json.utf8.count
                    case .media(let media): bytes + media.url.utf8.count + 256
                    }
                }
        case .edited(let edit): edit.text.utf8.count + 256
        case .deleted, .reaction, .joined, .left, .renamed, .role, .visibility: 256
        }
    }
}
