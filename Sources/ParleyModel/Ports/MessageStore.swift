/// The durable log of every thread, and what is read from it.
package protocol MessageStore: LogHistory, MessageSearch {
    /// Writes events, heads of threads, read cursors of senders and the checkpoint in one transaction.
    ///
    /// Idempotent: entries up to the stored checkpoint of the same incarnation are `repeated`, and so is an event that
    /// is there already. A message whose seq another one has gets the next free seq. An event that cannot be stored
    /// goes to the rejects and does not hold up the rest; one of a thread that was deleted is `dropped`.
    ///
    /// A message with a `clientID` that its sender used before (`LogHistory.sends`) was let through while nobody could
    /// ask. With the same content in the same thread it is `repeated`, under the seq of the first: its own seq is used and
    /// holds nothing. With another it is stored like any other, and the `clientID` stays the first one's.
    ///
    /// An event with an `outboxID` is stored if the entry is still in the outbox, which it leaves in the same transaction;
    /// else it is `repeated`, and its seq holds nothing. It does nothing but set the read cursor of who has joined: the
    /// rest was done when the entry was written.
    ///
    /// A message with a `recipient` makes its direct thread and both memberships if need be. A `joined` event sets the member's read cursor to itself, a message its sender's. A
    /// read mark moves a cursor past what stands before it in the batch; written again, it may move it once more.
    ///
    /// The other events take effect in the same transaction, in the order of the log: an edit gives the message another
    /// text, a deletion takes text, parts and reactions, `joined` makes a member and `left` none, `renamed` sets the
    /// title and `role` the role. An event that changes nothing (the message is deleted, the user is no member, another
    /// room has the title, the thread is a direct one of two others) stands in the log all the same. One about an
    /// unknown message is rejected. One that comes late does not undo what a later one has done. What an erased user still had on the way loses its text.
    /// - Returns: one outcome for each entry.
    func write(_ batch: IngestBatch) async throws(StoreError) -> [StoreOutcome]

    /// How far a partition is stored; `nil` if it never was.
    func checkpoint(of partition: Partition) async throws(StoreError) -> IngestCheckpoint?

    /// All threads of a user, newest activity first: the last message, else when the user joined.
    func inbox(of user: UserID) async throws(StoreError) -> [InboxEntry]

    /// A page of messages; see `MessageQuery`.
    func messages(in thread: ThreadID, _ query: MessageQuery) async throws(StoreError) -> MessagePage

    /// A page of messages by seq or date, wherever it lies; see `HistoryQuery`. None of an unknown thread.
    func history(in thread: ThreadID, _ query: HistoryQuery) async throws(StoreError) -> HistoryPage

    /// The stored log above the seq `after`, at most `limit` events (brought into 1 to `LogPage.maximumLimit`): messages
    /// as they are now, with their reactions, and edits with the text that their message has now, if any.
    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(StoreError) -> LogPage

    /// The newest of the stored log below the seq `before`, as `events(in:after:limit:)`; in rising order. `hasMore`
    /// says that events lie below the page.
    func events(in thread: ThreadID, before: Int64, limit: Int) async throws(StoreError) -> LogPage

    /// Which of some places of a thread's log are stored: those of events, and those that turned out to hold nothing,
    /// being repeats.
    /// - Parameter positions: some hundreds at most; one of another epoch than the stored one is not stored.
    func stored(_ positions: [Position], in thread: ThreadID) async throws(StoreError) -> Set<Position>

    /// One of the threads of a user; `nil` if they are no member.
    func thread(_ id: ThreadID, of user: UserID) async throws(StoreError) -> ThreadSummary?

    /// Threads of a user, newest activity first as in `inbox`, those of equal date in the order of thread
    /// ids.
    /// - Parameters:
    ///   - place: the list goes on after it; `nil`: from the beginning.
    ///   - limit: the most threads.
    func threads(of user: UserID, after place: ThreadPlace?, limit: Int) async throws(StoreError) -> [ThreadSummary]

    /// Moves a member's read cursor to `seq`, or to the end of what is stored if `nil`. Nothing happens to others, and
    /// nothing if a mark with a `seq` that was made later has moved the cursor already.
    /// - Parameter milliseconds: when the mark was made; `nil`: what comes last counts.
    func markRead(
        _ thread: ThreadID, by user: UserID, through seq: Int64?, at milliseconds: Int64?
    ) async throws(StoreError)
}

extension MessageStore {
    /// Moves a read cursor by a mark that is made now, however long it waits for the database.
    package func markRead(_ thread: ThreadID, by user: UserID, through seq: Int64?) async throws(StoreError) {
        try await markRead(thread, by: user, through: seq, at: WallClock.system.milliseconds)
    }
}

/// Why a store did not answer.
package enum StoreError: Error, Hashable, Sendable {
    /// The database is away or too busy; the same call may succeed later.
    case unavailable(String)
    /// A name or id that must be unique is taken.
    case taken
    /// The database refused; a bug or a damaged file.
    case failed(String)
}

/// A thread as its member sees it in the inbox.
package struct InboxEntry: Hashable, Sendable {
    /// `title` is what this user sees: for a direct thread the other's name.
    package var thread: ThreadInfo
    package var lastMessage: LogEvent?
    /// Messages after the read cursor that are not deleted.
    package var unreadCount: Int64

    package init(thread: ThreadInfo, lastMessage: LogEvent?, unreadCount: Int64) {
        self.thread = thread
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
    }
}

/// Which messages of a thread: bounds are exclusive and all of them hold.
///
/// With a lower bound (`after…`) the page is the oldest `limit` above it, otherwise the newest `limit`.
package struct MessageQuery: Hashable, Sendable {
    /// Unix seconds.
    package var before: Int64?
    /// Unix seconds.
    package var after: Int64?
    package var beforeSeq: Int64?
    package var afterSeq: Int64?
    package var limit: Int
    /// Lengthens the page so that all messages of a second are on one page: paging by whole seconds skips nothing.
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
    /// Newest first; each one's body is a message.
    package var messages: [LogEvent]
    /// Nothing lies further in the direction of the query (older, or newer when it had a lower bound).
    package var isEnd: Bool

    package init(messages: [LogEvent], isEnd: Bool) {
        self.messages = messages
        self.isEnd = isEnd
    }
}
