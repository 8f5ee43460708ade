import GRDB
import ParleyModel

/// Reads a page of messages.
///
/// Dates never fall as seq rises, so every bound in seconds is a bound in seqs: it is looked up by the index of dates,
/// and the page is one run along the primary key, however deep in the thread it lies.
struct PageReader {
    /// The longest page, apart from one that keeps a second whole.
    static let maximumLimit = 10_000

    private let db: Database
    private let thread: ThreadID
    private let query: MessageQuery
    /// Seqs above this …
    private let low: Int64
    /// … and below this are asked for.
    private let high: Int64

    init(db: Database, thread: ThreadID, query: MessageQuery) throws {
        self.db = db
        self.thread = thread
        self.query = query
        var low = query.afterSeq ?? 0
        var high = query.beforeSeq ?? .max
        if let after = query.after {
            let start = Self.milliseconds(ofSecond: after.addingReportingOverflow(1).overflow ? .max : after + 1)
            low = max(low, try Self.seq(db, ReadQueries.lastSeqBefore, thread, start) ?? 0)
        }
        if let before = query.before {
            let end = Self.milliseconds(ofSecond: before)
            high = min(high, try Self.seq(db, ReadQueries.firstSeqFrom, thread, end) ?? .max)
        }
        self.low = low
        self.high = high
    }

    func page() throws -> MessagePage {
        let isAscending = query.after != nil || query.afterSeq != nil
        let limit = min(max(query.limit, 0), Self.maximumLimit)
        // One more than asked for tells whether there is more.
        var messages = try run(from: low, to: high, limit: limit + 1, isAscending: isAscending)
        var isEnd = messages.count <= limit
        if !isEnd {
            let next = messages.removeLast()
            if query.keepsSecondsWhole, let last = messages.last, last.second == next.second {
                isEnd = try finishSecond(of: &messages, last: last, isAscending: isAscending)
            }
        }
        return MessagePage(messages: isAscending ? messages.reversed() : messages, isEnd: isEnd)
    }

    /// Adds the messages after `last` that are of the same second.
    /// - Returns: whether nothing comes after them.
    private func finishSecond(of messages: inout [LogEvent], last: LogEvent, isAscending: Bool) throws -> Bool {
        let seq = last.position.seq
        if isAscending {
            let start = Self.milliseconds(ofSecond: last.second + 1)
            let next = min(high, try Self.seq(db, ReadQueries.firstSeqFrom, thread, start) ?? .max)
            messages += try run(from: seq, to: next, limit: .max, isAscending: true)
            return next >= high
        }
        let start = Self.milliseconds(ofSecond: last.second)
        let next = max(low, try Self.seq(db, ReadQueries.lastSeqBefore, thread, start) ?? 0)
        messages += try run(from: next, to: seq, limit: .max, isAscending: false)
        return next <= low
    }

    private func run(from low: Int64, to high: Int64, limit: Int, isAscending: Bool) throws -> [LogEvent] {
        let sql = isAscending ? ReadQueries.oldestMessages : ReadQueries.newestMessages
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: sql), arguments: [thread.text, low, high, limit])
        var messages: [LogEvent] = []
        while let row = try rows.next() { messages.append(try LogEvent(messageRow: row, thread: thread)) }
        return messages
    }

    private static func seq(_ db: Database, _ sql: String, _ thread: ThreadID, _ milliseconds: Int64) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [thread.text, milliseconds])
    }

    /// Saturates: a client may send any number.
    private static func milliseconds(ofSecond second: Int64) -> Int64 {
        let (product, overflow) = second.multipliedReportingOverflow(by: 1000)
        return overflow ? (second < 0 ? .min : .max) : product
    }
}

extension LogEvent {
    /// The whole second of the date; dates are not negative.
    fileprivate var second: Int64 { milliseconds / 1000 }
}
