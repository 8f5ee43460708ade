/// What committed state changes have still to tell the logs: the transactional outbox.
///
/// An entry is written by the transaction of its change (`StateStore`). Whoever made the change relays it at once;
/// whatever is left after a crash or a cut is relayed by any persister. An entry is gone when it has taken effect:
///
/// - `append`: when the event is stored. The transaction that stores an event with an `outboxID` deletes the entry, and
///   does not carry the event out once more, since the change has been made already. Until then it may be relayed again: the
///   log knows the id of an event that it has (`EventDraft.outboxID`), and answers with the first receipt.
/// - the others: by `complete`, when the log has carried them out.
package protocol Outbox: Sendable {
    /// The oldest entries, in the order of their ids.
    /// - Parameters:
    ///   - thread: of this thread only; `nil`: of all.
    ///   - before: Unix milliseconds; entries written later are left out.
    func outboxEntries(of thread: ThreadID?, before milliseconds: Int64, limit: Int)
        async throws(StoreError) -> [OutboxEntry]

    /// The oldest entries that have waited for a while, of all threads, in the order of their ids. What a batch or a
    /// cleanup has written waits for nobody, and is among them at once.
    /// - Parameters:
    ///   - age: milliseconds of the store's clock.
    ///   - place: entries behind the one of this id; 0: from the oldest.
    func overdueEntries(age: Int64, after place: Int64, limit: Int) async throws(StoreError) -> [OutboxEntry]

    /// Deletes entries that have taken effect.
    func complete(_ entries: [OutboxEntry]) async throws(StoreError)

    /// Deletes a `forgetThread` that has taken effect, and keeps what no event may have from now on; before any later
    /// entry of the thread is relayed.
    /// - Parameter epochs: all epochs that the log has forgotten, by this relay of the entry or an earlier one.
    func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError)
}

/// One thing to be told.
package struct OutboxEntry: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// An event for the thread's log: `joined`, `left`, `renamed` or `role`.
        case append(LogEvent.Body)
        /// The thread was deleted: nothing of its log is to remain, and nothing of its epochs to be appended.
        case forgetThread
        /// The user was erased: their texts, parts and names in the thread's log are to go.
        case redactUser(UserID)
        /// What this version cannot read, in a database that a later version has written to. What lies behind it in its
        /// thread waits for a node of that version.
        case unreadable(kind: String)
    }

    /// Rises with the order of the transactions of a thread.
    package let id: Int64
    package let thread: ThreadID
    package let content: Content

    package init(id: Int64, thread: ThreadID, content: Content) {
        self.id = id
        self.thread = thread
        self.content = content
    }
}
