import ParleyModel
import ParleyStorage

/// The messages of one thread, for pages by date and seq.
struct ThreadPageSource: PageSource {
    let connection: PostgresConnection
    let thread: ThreadID

    func lastSeq(before milliseconds: Int64) throws -> Int64? {
        try seq(DateQueries.lastSeqBefore, milliseconds)
    }

    func firstSeq(from milliseconds: Int64) throws -> Int64? {
        try seq(DateQueries.firstSeqFrom, milliseconds)
    }

    func messages(above low: Int64, below high: Int64, limit: Int, isAscending: Bool) throws -> [LogEvent] {
        let statement = isAscending ? ReadQueries.oldestMessages : ReadQueries.newestMessages
        let call = statement(.text(thread.text), .int(low), .int(high), .int(Int64(limit)))
        return try connection.run(call) { [thread] row in try LogEvent(messageRow: row, thread: thread) }
    }

    private func seq(_ query: Query<Int64>, _ milliseconds: Int64) throws -> Int64? {
        try connection.run(query(.text(thread.text), .int(milliseconds))).first
    }
}
