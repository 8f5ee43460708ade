package import ParleyModel

/// What a page of messages is read from: one thread of a database, at one instant.
package protocol PageSource {
    /// The last seq before an instant, Unix milliseconds.
    func lastSeq(before milliseconds: Int64) throws -> Int64?

    /// The first seq at or after an instant, Unix milliseconds.
    func firstSeq(from milliseconds: Int64) throws -> Int64?

    /// The messages between two seqs, which are not among them: the `limit` nearest to the lower one in rising order, or
    /// to the upper one in falling order.
    func messages(above low: Int64, below high: Int64, limit: Int, isAscending: Bool) throws -> [LogEvent]
}

/// Reads a page of messages.
///
/// Dates never fall as seq rises, so every bound in seconds is a bound in seqs: it is looked up by the index of dates,
/// and the page is one run along the primary key, however deep in the thread it lies.
package struct PageReader<Source: PageSource> {
    /// The longest page, apart from one that keeps a second whole.
    package static var maximumLimit: Int { 10_000 }

    private let source: Source
    private let query: MessageQuery
    /// Seqs above this …
    private let low: Int64
    /// … and below this are asked for.
    private let high: Int64

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

    package func page() throws -> MessagePage {
        let isAscending = query.after != nil || query.afterSeq != nil
        let limit = min(max(query.limit, 0), Self.maximumLimit)
        // One more than asked for tells whether there is more.
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

    /// Adds the messages after `last` that are of the same second.
    /// - Returns: whether nothing comes after them.
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
