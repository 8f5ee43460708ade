package import ParleyModel

/// The source of a page of messages: one thread, read from one database snapshot.
package protocol PageSource {
    /// The last seq before a date in Unix milliseconds.
    func lastSeq(before milliseconds: Int64) throws -> Int64?

    /// The first seq at or after a date in Unix milliseconds.
    func firstSeq(from milliseconds: Int64) throws -> Int64?

    /// The messages strictly between two seqs: the `limit` nearest to `low` in ascending order, or nearest to `high` in
    /// descending order.
    func messages(above low: Int64, below high: Int64, limit: Int, isAscending: Bool) throws -> [LogEvent]
}

/// Reads a page of messages.
///
/// Dates never decrease as seq rises, so each bound in seconds is converted to a seq by an index lookup on dates. The
/// page is then one run along the primary key, however deep in the thread it lies.
package struct PageReader<Source: PageSource> {
    /// The maximum number of messages in a page, apart from those added to complete a second.
    package static var maximumLimit: Int { 10_000 }

    private let source: Source
    private let query: MessageQuery
    /// The exclusive lower bound of the requested seqs.
    private let low: Int64
    /// The exclusive upper bound of the requested seqs.
    private let high: Int64

    /// Converts the query's bounds to seqs.
    /// - Throws: errors of the source.
    package init(_ source: Source, _ query: MessageQuery) throws {
        self.source = source
        self.query = query
        var low = query.afterSeq ?? 0
        var high = query.beforeSeq ?? .max
        if let after = query.after {
            let start = Self.milliseconds(ofSecond: after.addingReportingOverflow(1).overflow ? .max : after + 1)
            low = max(low, try source.lastSeq(before: start) ?? 0)
        }
        if let before = query.before {
            high = min(high, try source.firstSeq(from: Self.milliseconds(ofSecond: before)) ?? .max)
        }
        self.low = low
        self.high = high
    }

    /// Reads the page. If the query asks to keep seconds whole, the page is extended to the end of its last second.
    package func page() throws -> MessagePage {
        let isAscending = query.after != nil || query.afterSeq != nil
        let limit = min(max(query.limit, 0), Self.maximumLimit)
        // One message more than requested shows whether more follow.
        var messages = try source.messages(above: low, below: high, limit: limit + 1, isAscending: isAscending)
        var isEnd = messages.count <= limit
        if !isEnd {
            let next = messages.removeLast()
            if query.keepsSecondsWhole, let last = messages.last, last.second == next.second {
                isEnd = try finishSecond(of: &messages, last: last, isAscending: isAscending)
            }
        }
        return MessagePage(messages: isAscending ? messages.reversed() : messages, isEnd: isEnd)
    }

    /// Appends the messages after `last` that share its second.
    /// - Returns: whether nothing follows them.
    private func finishSecond(of messages: inout [LogEvent], last: LogEvent, isAscending: Bool) throws -> Bool {
        let seq = last.position.seq
        if isAscending {
            let start = Self.milliseconds(ofSecond: last.second + 1)
            let next = min(high, try source.firstSeq(from: start) ?? .max)
            messages += try source.messages(above: seq, below: next, limit: .max, isAscending: true)
            return next >= high
        }
        let start = Self.milliseconds(ofSecond: last.second)
        let next = max(low, try source.lastSeq(before: start) ?? 0)
        messages += try source.messages(above: next, below: seq, limit: .max, isAscending: false)
        return next <= low
    }

    /// Saturates on overflow, since clients may send any number.
    private static func milliseconds(ofSecond second: Int64) -> Int64 {
        let (product, overflow) = second.multipliedReportingOverflow(by: 1000)
        return overflow ? (second < 0 ? .min : .max) : product
    }
}

extension LogEvent {
    /// The date in whole seconds; dates are never negative.
    fileprivate var second: Int64 { milliseconds / 1000 }
}
