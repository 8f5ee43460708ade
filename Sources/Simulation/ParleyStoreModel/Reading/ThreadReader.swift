import ParleyModel
import ParleyStorage

/// Reads pages of one thread.
struct ThreadReader: PageSource {
    let tables: Tables
    let thread: ThreadID

    private var log: ThreadLog { tables.logs[thread] ?? ThreadLog() }
    private var head: ThreadHead? { tables.threads[thread]?.head }

    // MARK: Dates

    /// Dates never decrease as seq rises.
    func lastSeq(before milliseconds: Int64) -> Int64? { lastSeq { $0.milliseconds < milliseconds } }

    func firstSeq(from milliseconds: Int64) -> Int64? {
        let messages = log.messages
        let index = ThreadLog.index(in: messages) { $0.milliseconds < milliseconds }
        return messages[index...].first?.seq
    }

    private func lastSeq(where isBefore: (MessageRow) -> Bool) -> Int64? {
        let messages = log.messages
        return messages[..<ThreadLog.index(in: messages, where: isBefore)].last?.seq
    }

    // MARK: Pages

    func messages(above low: Int64, below high: Int64, limit: Int, isAscending: Bool) throws -> [LogEvent] {
        let rows = rows(above: low, below: high)
        let page = isAscending ? Array(rows.prefix(limit)) : rows.suffix(limit).reversed()
        return try page.map { try tables.event(of: $0, in: thread) }
    }

    private func rows(above low: Int64, below high: Int64) -> ArraySlice<MessageRow> {
        let log = log
        let start = ThreadLog.index(in: log.messages) { $0.seq <= low }
        return log.messages[start..<max(start, log.messageIndex(from: high))]
    }

    func page(_ query: HistoryQuery) throws -> HistoryPage {
        var seqOfDate: Int64?
        if case .at(let milliseconds) = query.place { seqOfDate = lastSeq { $0.milliseconds <= milliseconds } }
        let messages = try HistoryRun.runs(of: query, seqOfDate: seqOfDate).flatMap { run in
            let rows =
                switch run {
                case .below(let seq, let limit): rows(above: .min, below: seq).suffix(limit)
                case .above(let seq, let limit): rows(above: seq, below: .max).prefix(limit)
                }
            return try rows.map { try tables.eventWithReactions(of: $0, in: thread) }
        }
        return HistoryPage(counting: messages, at: query.place, head: head)
    }

    func log(after seq: Int64, limit: Int) throws -> LogPage {
        let limit = LogPage.limit(limit)
        let events = log.events
        let start = ThreadLog.index(in: events) { $0.seq <= seq }
        return LogPage(
            merging: try rows(above: seq, below: .max).prefix(limit + 1).map {
                try tables.eventWithReactions(of: $0, in: thread)
            },
            try events[start...].prefix(limit + 1).map { try tables.event(of: $0, in: thread) },
            limit: limit, head: head)
    }
}
