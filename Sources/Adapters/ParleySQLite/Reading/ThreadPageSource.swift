import GRDB
import ParleyModel
import ParleyStorage

/// The messages of one thread, for pages by date and seq.
struct ThreadPageSource: PageSource {
    let db: Database
    let thread: ThreadID

    func lastSeq(before milliseconds: Int64) throws -> Int64? {
        try seq(ReadQueries.lastSeqBefore, milliseconds)
    }

    func firstSeq(from milliseconds: Int64) throws -> Int64? {
        try seq(ReadQueries.firstSeqFrom, milliseconds)
    }

    func messages(above low: Int64, below high: Int64, limit: Int, isAscending: Bool) throws -> [LogEvent] {
        let sql = isAscending ? ReadQueries.oldestMessages : ReadQueries.newestMessages
        return try db.all(sql, [thread.text, low, high, limit]) { try LogEvent(messageRow: $0, thread: thread) }
    }

    private func seq(_ sql: String, _ milliseconds: Int64) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [thread.text, milliseconds])
    }
}
