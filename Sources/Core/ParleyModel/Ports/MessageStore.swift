/// The durable log of every thread, and queries on it.
package protocol MessageStore: LogHistory, MessageSearch {
    /// Writes events, thread heads, the senders' read cursors and the checkpoints of batches in one transaction. Each batch
    /// belongs to another partition.
    ///
    /// Idempotent: entries up to the stored checkpoint of the same incarnation are `repeated`, and so is an event that is
    /// already stored. If another event already has an event's seq, because the log lost its end unnoticed, the epoch ends: the
    /// event and all later ones of the epoch get the next free seqs in the epoch's `successor`, so that no position means two
    /// events. An event that cannot be stored goes to the rejects and does not stop the others. An event of a deleted thread is
    /// `dropped`.
    ///
    /// A message with a `clientID` that its sender used before (`LogHistory.sends`) was accepted while the store could not be
    /// queried. With the same content in the same thread it is `repeated` under the seq of the first message, and its own seq
    /// stays empty. With other content it is stored like any other message, and the first message keeps the `clientID`.
    ///
    /// An event with an `outboxID` is stored if the entry is still in the outbox, and the same transaction deletes the entry.
    /// Otherwise it is `repeated`, and its seq stays empty. Its only effect is the read cursor of a user who joined, since the
    /// change itself was made when the entry was written.
    ///
    /// A message with a `recipient` creates its direct thread and both memberships if needed. A `joined` event moves the
    /// member's read cursor to itself, and a message moves its sender's. A read mark moves a cursor past the entries before it
    /// in the batch; if it is written again, it may move the cursor again.
    ///
    /// The other events take effect in the same transaction, in log order: an edit replaces the message's text, a deletion
    /// removes text, parts and reactions, `joined` and `left` begin and end memberships, `renamed` sets the title, and `role`
    /// sets the role. An event without effect is logged nevertheless: the message is deleted, the user is not a member, another
    /// room has the title, or the thread is a direct one of other users. An event about an unknown message is rejected. A late
    /// event does not undo the effect of a later one. Messages of an erased user that are still on the way lose their text.
    /// - Returns: For each batch, one outcome for each entry.
    func write(_ batches: [IngestBatch]) async throws(StoreError) -> [[StoreOutcome]]

    /// All threads of a user, newest activity first. The activity is the date of the last message, or of joining if there is none.
    func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry]

    /// A page of messages; see `MessageQuery`.
    func messages(in thread: ThreadID, _ query: MessageQuery) async throws(StoreError) -> MessagePage

    /// A page of messages by seq or date; see `HistoryQuery`. Empty if the thread is unknown.
    func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage

    /// The stored log above the seq `after`, at most `limit` events (clamped to 1...`LogPage.maximumLimit`). Messages are in
    /// their current state, with reactions; edits have the current text of their message, if any.
    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(StoreError) -> LogPage

    /// Returns the given positions that are stored in a thread's log: positions of events, and positions left empty by repeats.
    /// - Parameter positions: At most a few hundred. A position in another epoch than the stored one is not stored.
    func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position>

    /// One thread of a user; `nil` if they are not a member.
    func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary?

    /// Threads of a user, newest activity first as in `inbox`, and by thread id at equal dates.
    /// - Parameters:
    ///   - place: The place to continue after; `nil` starts at the beginning.
    ///   - limit: The maximum number of threads.
    func threads(of user: UserID, after place: ThreadPlace?, limit: Int) async throws(StoreError) -> [ThreadSummary]

    /// Moves a member's read cursor to `seq`, or to the end of the stored log if `seq` is `nil`. Has no effect if the user is
    /// not a member, or if a newer mark with a `seq` has already moved the cursor.
    /// - Parameter milliseconds: The time at which the mark was made; `nil` lets the last mark to arrive win.
    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError)
}

extension MessageStore {
    /// Moves a read cursor by a mark with the current time, however long the database takes.
    package func markRead(_ thread: ThreadID, by user: UserID, through seq: Int64?) async throws(StoreError) {
        try await markRead(thread, by: user, through: seq, at: WallClock.system.milliseconds)
    }
}

/// The reason that a store operation failed.
package enum StoreError: Error, Hashable, Sendable {
    /// The database is unreachable or overloaded. The same call may succeed later.
    case unavailable(String)
    /// A name or id that must be unique is taken.
    case taken
    /// The new avatar, or the new picture of a room, is not a complete attachment of the user, or no longer exists. The picture of a
    /// room must also be an image.
    case noAvatar
    /// The database rejected the operation because of a bug or a damaged file.
    case failed(String)
}

/// A thread in a member's inbox.
package struct InboxEntry: Hashable, Sendable {
    /// The thread. Its `title` is what this user sees; for a direct thread, the name of the other user.
    package var thread: ThreadInfo
    package var lastMessage: LogEvent?
    /// The number of undeleted messages after the read cursor.
    package var unreadCount: Int64

    package init(thread: ThreadInfo, lastMessage: LogEvent?, unreadCount: Int64) {
        self.thread = thread
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
    }
}

/// A query for a page of a thread's messages. Bounds are exclusive, and all of them apply.
///
/// With a lower bound (`after…`) the page holds the oldest `limit` messages above it, otherwise the newest `limit`.
package struct MessageQuery: Hashable, Sendable {
    /// The upper bound of the date, in Unix seconds.
    package var before: Int64?
    /// The lower bound of the date, in Unix seconds.
    package var after: Int64?
    package var beforeSeq: Int64?
    package var afterSeq: Int64?
    package var limit: Int
    /// Whether the page is extended to all messages of its last second, so that paging by whole seconds skips nothing.
    package var keepsSecondsWhole: Bool

    package init(
        before: Int64? = nil, after: Int64? = nil, beforeSeq: Int64? = nil, afterSeq: Int64? = nil, limit: Int,
        keepsSecondsWhole: Bool = false
    ) {
        self.before = before
        self.after = after
        self.beforeSeq = beforeSeq
        self.afterSeq = afterSeq
        self.limit = limit
        self.keepsSecondsWhole = keepsSecondsWhole
    }
}

/// Messages of one thread.
package struct MessagePage: Hashable, Sendable {
    /// The messages, newest first. The body of each is a message.
    package var messages: [LogEvent]
    /// Whether the page reaches the end of the history in the direction of the query: its oldest message, or its newest if
    /// the query had a lower bound.
    package var isEnd: Bool

    package init(messages: [LogEvent], isEnd: Bool) {
        self.messages = messages
        self.isEnd = isEnd
    }
}
