package import ParleyModel
import ParleyStorage

extension PostgresStore: MessageStore {
    /// Returns the inbox of a user. Entries with the same date are ordered by thread ID.
    package func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry] {
        try await rows(.inbox, ReadQueries.inbox(.text(user.text))) { row in
            let start = ReadQueries.messageColumns
            let thread = try row.threadInfo(start)
            let last = try row.optionalInt(0).map { _ in try LogEvent(messageRow: row, thread: thread.id) }
            return InboxEntry(thread: thread, lastMessage: last, unreadCount: try row.int(start + 4))
        }
    }

    /// Returns a page of at most `PageReader.maximumLimit` messages. A page may exceed the limit to include the rest of
    /// a second. `isEnd` refers to the requested bounds. An unknown thread has no messages.
    package func messages(
        in thread: ThreadID, _ query: MessageQuery
    ) async throws(StoreError) -> MessagePage {
        try await pool.perform(.page) { connection in
            try PageReader(ThreadPageSource(connection: connection, thread: thread), query).page()
        }
    }

    /// Moves the read cursor. `seq` may be before the cursor, so that messages become unread again, or beyond the head,
    /// so that later messages up to it count as read. `nil` moves the cursor to the head, but never back.
    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError) {
        let mark =
            if let seq {
                ReadQueries.markRead(.int(max(seq, 0)), .text(thread.text), .text(user.text), .int(milliseconds))
            } else {
                ReadQueries.markAllRead(.text(thread.text), .text(user.text), .int(milliseconds))
            }
        try await run(.markRead, Locks.cursorsOfThread(.text(thread.text)), mark)
    }

    package func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead? {
        try await heads(of: [thread])[thread]
    }

    package func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        guard !threads.isEmpty else { return [:] }
        let found = try await rows(.history, ReadQueries.heads(.texts(threads.map(\.text)))) { row in
            let head = ThreadHead(
                position: Position(epoch: Epoch(try row.text(1)), seq: try row.int(2)),
                milliseconds: try row.int(3), messageCount: try row.int(4))
            return (ThreadID(trusted: try row.text(0)), head)
        }
        return found.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
