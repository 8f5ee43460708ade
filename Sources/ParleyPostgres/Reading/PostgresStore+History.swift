package import ParleyModel

/// The calls of `MessageStore` that page through a thread's log and a user's threads.
extension PostgresStore {
    package func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage {
        try await pool.perform(.page) { try HistoryReader(connection: $0, thread: thread).page(query) }
    }

    package func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> LogPage {
        try await pool.perform(.page) {
            try HistoryReader(connection: $0, thread: thread).log(after: seq, limit: limit)
        }
    }

    package func threads(
        of user: UserID, after place: ThreadPlace?, limit: Int
    ) async throws(StoreError) -> [ThreadSummary] {
        let call = HistoryQueries.threads(
            .text(user.text), .int(place?.activity), .text(place?.thread.text), .int(Int64(max(limit, 0))))
        return try await rows(.lookUp, call) { row in
            let id = ThreadID(trusted: try row.text(9))
            let info = ThreadInfo(id: id, kind: try Self.kind(row.text(10)), title: try row.text(11))
            let peer = try row.optionalText(13).map { User(id: UserID(trusted: $0), name: try row.text(14)) }
            return ThreadSummary(
                membership: Membership(thread: info, role: try Self.role(row.text(15)), peer: peer),
                head: try row.optionalText(16).map { Position(epoch: Epoch($0), seq: try row.int(17)) },
                readSeq: try row.int(18),
                unreadCount: try row.int(12),
                lastMessage: try row.optionalInt(0).map { _ in try LogEvent(messageRow: row, thread: id) },
                activity: try row.int(19))
        }
    }
}
