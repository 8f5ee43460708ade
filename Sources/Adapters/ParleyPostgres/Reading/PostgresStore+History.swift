package import ParleyModel

/// The calls of `MessageStore` that page through the log of a thread and the threads of a user.
extension PostgresStore {
    package func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage {
        try await pool.perform(.page) { try HistoryReader(connection: $0, thread: thread).page(query) }
    }

    package func events(in thread: ThreadID, after seq: Int64, limit: Int) async throws(StoreError) -> LogPage {
        try await pool.perform(.page) {
            try HistoryReader(connection: $0, thread: thread).log(after: seq, limit: limit)
        }
    }

    package func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position> {
        let call = HistoryQueries.places(.text(thread.text), .ints(positions.map(\.seq)))
        let places = try await rows(.history, call) { row in
            Position(epoch: Epoch(try row.text(0)), seq: try row.int(1))
        }
        return Set(positions).intersection(places)
    }

    package func threads(
        of user: UserID, after place: ThreadPlace?, limit: Int
    ) async throws(StoreError) -> [ThreadSummary] {
        let call = HistoryQueries.threads(
            .text(user.text), .int(place?.activity), .text(place?.thread.text), .int(Int64(max(limit, 0))))
        return try await rows(.inbox, call, Self.summary)
    }

    package func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary? {
        try await rows(.list, HistoryQueries.thread(.text(user.text), .text(id.text)), Self.summary).first
    }

    private static let summary: @Sendable (Row) throws -> ThreadSummary = { row in
        let start = ReadQueries.messageColumns
        let info = try row.threadInfo(start)
        let peer = try row.optionalUser(start + 5)
        let limits = try row.limits(start + 12)
        return ThreadSummary(
            membership: Membership(thread: info, role: try row.role(start + 7), peer: peer, limits),
            head: try row.optionalText(start + 8).map { Position(epoch: Epoch($0), seq: try row.int(start + 9)) },
            readSeq: try row.int(start + 10),
            unreadCount: try row.int(start + 4),
            lastMessage: try row.optionalInt(0).map { _ in try LogEvent(messageRow: row, thread: info.id) },
            activity: try row.int(start + 11))
    }
}
