import GRDB
import ParleyJSON
package import ParleyModel
import ParleyStorage

/// The calls of `MessageStore` that page through the log of a thread and the threads of a user. Each call reads one
/// snapshot.
extension SQLiteStore {
    package func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage {
        try await read(.reading) { db in try HistoryReader(db: db, thread: thread).page(query) }
    }

    package func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> LogPage {
        try await read(.reading) { db in try HistoryReader(db: db, thread: thread).log(after: seq, limit: limit) }
    }

    package func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position> {
        let seqs = Self.json(positions.map { .integer($0.seq) })
        return try await read { db in
            let rows = try Row.fetchAll(db.cachedStatement(sql: ReadQueries.places), arguments: [thread.text, seqs])
            return Set(positions).intersection(rows.map { Position(epoch: Epoch($0[0]), seq: $0[1]) })
        }
    }

    package func threads(
        of user: UserID, after place: ThreadPlace?, limit: Int
    ) async throws(StoreError) -> [ThreadSummary] {
        try await search { db in
            try db.all(
                ReadQueries.threads, [user.text, place?.activity, place?.thread.text, max(limit, 0)], Self.summary)
        }
    }

    package func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary? {
        try await read(.reading) { db in
            try db.first(ReadQueries.thread, [user.text, id.text], Self.summary)
        }
    }

    private static func summary(_ row: Row) throws -> ThreadSummary {
        let start = ReadQueries.messageColumns
        let info = try row.threadInfo(start)
        let epoch: String? = row[start + 7]
        let limits = try row.limits(start + 12)
        let lastSeq: Int64? = row[0]
        return ThreadSummary(
            membership: Membership(
                thread: info, role: try row.role(start + 6), peer: row.optionalUser(start + 4), limits),
            head: epoch.map { Position(epoch: Epoch($0), seq: row[start + 8]) },
            readSeq: row[start + 9],
            unreadCount: row[start + 10],
            lastMessage: try lastSeq.map { _ in try LogEvent(messageRow: row, thread: info.id) },
            activity: row[start + 11])
    }
}

extension ReadQueries {
    /// Returns the given seqs of a thread that are stored, including repeats. Takes the seqs as a JSON array.
    package static let places = """
        SELECT epoch, seq FROM messages WHERE thread_id = ?1 AND seq IN (SELECT value FROM json_each(?2))
        UNION ALL SELECT epoch, seq FROM events WHERE thread_id = ?1 AND seq IN (SELECT value FROM json_each(?2))
        UNION ALL SELECT epoch, seq FROM repeats WHERE thread_id = ?1 AND seq IN (SELECT value FROM json_each(?2))
        """
}
