import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: MessageStore {
    /// Returns the inbox of a user. Entries with the same date are ordered by thread ID.
    package func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry] {
        try await search { db in
            try db.all(ReadQueries.inbox, [user.text]) { row in
                let thread = try row.threadInfo(ReadQueries.messageColumns)
                let seq: Int64? = row[0]
                let last = try seq.map { _ in try LogEvent(messageRow: row, thread: thread.id) }
                return InboxEntry(
                    thread: thread, lastMessage: last, unreadCount: row[ReadQueries.messageColumns + 4])
            }
        }
    }

    /// Returns a page of at most `PageReader.maximumLimit` messages. A page may exceed the limit to include the rest of
    /// a second. `isEnd` refers to the requested bounds. An unknown thread has no messages.
    package func messages(
        in thread: ThreadID, _ query: MessageQuery
    ) async throws(StoreError) -> MessagePage {
        try await read(.reading) { db in try PageReader(ThreadPageSource(db: db, thread: thread), query).page() }
    }

    /// Moves the read cursor. `seq` may be before the cursor, so that messages become unread again, or beyond the head,
    /// so that later messages up to it count as read. `nil` moves the cursor to the head, but never back.
    package func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError) {
        let now = clock.milliseconds
        try await write { db in
            if let seq {
                try db.run(ReadQueries.markRead, [max(seq, 0), thread.text, user.text, milliseconds, now])
            } else {
                try db.run(ReadQueries.markAllRead, [thread.text, user.text, milliseconds, now])
            }
        }
    }

    package func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead? {
        try await read { db in try HistoryReader(db: db, thread: thread).head() }
    }

    package func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        try await read { db in
            var heads: [ThreadID: ThreadHead] = [:]
            for thread in threads { heads[thread] = try HistoryReader(db: db, thread: thread).head() }
            return heads
        }
    }
}
