/// The durable log of every thread, and its queries.
package protocol MessageStore: LogHistory, MessageSearch {
    /// Writes events, thread heads, read cursors of senders and the checkpoints of batches of different partitions in
    /// one transaction.
    ///
    /// Idempotent: entries up to the stored checkpoint of the same incarnation are `repeated`, and so is an event that
    /// is already stored. If the seq of an event is held by another one, since the log has lost its end without a check,
    /// this ends the epoch: the event and all later ones of the epoch get the next free seqs, in the epoch's
    /// `successor`, so that no position means two events. An event that cannot be stored goes to the rejects and does not stop the rest; an event of a deleted thread is `dropped`.
    ///
    /// A message with a `clientID` that its sender used before (`LogHistory.sends`) was accepted while the store could
    /// not be queried. With the same content in the same thread it is `repeated` under the seq of the first; its own
    /// seq stays empty. With other content it is stored like any other message, and the `clientID` stays with the
    /// first.
    ///
    /// An event with an `outboxID` is stored if the entry is still in the outbox, and the same transaction deletes the
    /// entry; otherwise it is `repeated` and its seq stays empty. Its only effect is the read cursor of a user who
    /// joined, since the change itself was made when the entry was written.
    ///
    /// A message with a `recipient` creates its direct thread and both memberships if needed. A `joined` event sets the
    /// member's read cursor to itself, a message its sender's. A read mark moves a cursor past the entries before it in
    /// the batch; written again, it may move it once more.
    ///
    /// The other events take effect in the same transaction, in log order: an edit replaces the message's text, a
    /// deletion removes text, parts and reactions, `joined` and `left` begin and end memberships, `renamed` sets the
    /// title and `role` the role. An event without effect (the message is deleted, the user is not a member, another
    /// room has the title, the thread is a direct one of two others) is logged nevertheless. An event about an unknown
    /// message is rejected. A late event does not undo the effect of a later one. Messages of an erased user that are
    /// still on the way lose their text.
    /// - Returns: for each batch, one outcome for each entry.
    func write(_ batches: [IngestBatch]) async throws(StoreError) -> [[StoreOutcome]]

    /// All threads of a user, newest activity first: the date of the last message, else of joining.
    func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry]

    /// A page of messages; see `MessageQuery`.
    func messages(in thread: ThreadID, _ query: MessageQuery) async throws(StoreError) -> MessagePage

    /// A page of messages by seq or date; see `HistoryQuery`. Empty for an unknown thread.
    func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage

    /// The stored log above the seq `after`, at most `limit` events (clamped to 1...`LogPage.maximumLimit`): messages
    /// in their present state, with reactions, and edits with their message's present text, if any.
    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(StoreError) -> LogPage

    /// The stored positions of a thread's log: positions of events, and positions left empty by repeats.
    /// - Parameter positions: some hundreds at most; a position of another epoch than the stored one is not stored.
    func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position>

    /// One thread of a user; `nil` if they are not a member.
    func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary?

    /// Threads of a user, newest activity first as in `inbox`, at equal dates by thread id.
    /// - Parameters:
    ///   - place: continues after it; `nil` starts at the beginning.
    ///   - limit: maximum number of threads.
    func threads(of user: UserID, after place: ThreadPlace?, limit: Int) async throws(StoreError) -> [ThreadSummary]

    /// Moves a member's read cursor to `seq`, or to the end of what is stored if `nil`. Has no effect for other users,
    /// nor if a newer mark with a `seq` has already moved the cursor.
    /// - Parameter milliseconds: when the mark was made; `nil`: the last to arrive wins.
    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError)
}

extension MessageStore {
    /// Moves a read cursor by a mark made now, however long the database takes.
    package func markRead(_ thread: ThreadID, by user: UserID, through seq: Int64?) async throws(StoreError) {
        try await markRead(thread, by: user, through: seq, at: WallClock.system.milliseconds)
    }
}

/// The reason that a store operation failed.
package enum StoreError: Error, Hashable, Sendable {
    /// The database cannot be reached or is overloaded; the same call may succeed later.
    case unavailable(String)
    /// A name or id that must be unique is taken.
    case taken
    /// The new avatar is not a complete attachment of the user's own, or no longer.
    case noAvatar
    /// The database rejected the operation: a bug or a damaged file.
    case failed(String)
}

/// A thread in a member's inbox.
package struct InboxEntry: Hashable, Sendable {
    /// `title` is what this user sees; for a direct thread, the other's name.
    package var thread: ThreadInfo
    package var lastMessage: LogEvent?
    /// Undeleted messages after the read cursor.
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
    /// Unix seconds.
    package var before: Int64?
    /// Unix seconds.
    package var after: Int64?
    package var beforeSeq: Int64?
    package var afterSeq: Int64?
    package var limit: Int
    /// Extends the page to all messages of its last second, so that paging by whole seconds skips nothing.
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
    /// Newest first; the body of each is a message.
    package var messages: [LogEvent]
    /// No more messages in the direction of the query (older, or newer if it had a lower bound).
    package var isEnd: Bool

    package init(messages: [LogEvent], isEnd: Bool) {
        self.messages = messages
        self.isEnd = isEnd
    }
}
