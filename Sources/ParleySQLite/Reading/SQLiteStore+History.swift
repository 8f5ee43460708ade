import GRDB
package import ParleyModel

/// The calls of `MessageStore` that page through a thread's log and a user's threads; each reads one snapshot.
extension SQLiteStore {
    package func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage {
        try await read { db in try HistoryReader(db: db, thread: thread).page(query) }
    }

    package func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> LogPage {
        try await read { db in try HistoryReader(db: db, thread: thread).log(after: seq, limit: limit) }
    }

    package func threads(
        of user: UserID, after place: ThreadPlace?, limit: Int
    ) async throws(StoreError) -> [ThreadSummary] {
        try await read { db in
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: ReadQueries.threads),
                arguments: [user.text, place?.activity, place?.thread.text, max(limit, 0)])
            var threads: [ThreadSummary] = []
            while let row = try rows.next() { threads.append(try Self.summary(row)) }
            return threads
        }
    }

    private static func summary(_ row: Row) throws -> ThreadSummary {
        let id = ThreadID(trusted: row[9])
        let info = ThreadInfo(id: id, kind: try kind(row[10]), title: row[11])
        let peerID: String? = row[12]
        let peer = peerID.map { User(id: UserID(trusted: $0), name: row[13]) }
        let epoch: String? = row[15]
        let lastSeq: Int64? = row[0]
        return ThreadSummary(
            membership: Membership(thread: info, role: try role(row[14]), peer: peer),
            head: epoch.map { Position(epoch: Epoch($0), seq: row[16]) },
            readSeq: row[17],
            unreadCount: row[18],
            lastMessage: lastSeq.map { _ in LogEvent(messageRow: row, thread: id) },
            activity: row[19])
    }
}
