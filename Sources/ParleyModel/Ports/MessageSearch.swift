/// Looks into the stored messages of many threads at once.
package protocol MessageSearch: Sendable {
    /// The messages whose text has all these words, in any order and whatever their case, in the threads that `user` is
    /// a member of; newest first, those of equal date in the order of thread ids and then of falling seqs.
    ///
    /// What is deleted or erased is not found. A word is what the database takes for one: letters and digits, whole.
    /// Without any word nothing is found.
    /// - Parameters:
    ///   - thread: `nil`: in all of them.
    ///   - limit: the most messages; brought into 1 to `SearchPage.maximumLimit`.
    func search(
        _ words: String, of user: UserID, in thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> SearchPage

    /// A message of a thread, by its id; `nil` if it is not stored, perhaps not yet.
    func message(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace?

    /// Those of these messages that are deleted or erased (`MessagePlace.isGone`), all of them in one question. What is
    /// not stored is not among them.
    /// - Parameter keys: at most `MessageKey.maximumCount`.
    func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey>

    /// The messages that a user has sent, wherever they are, in an order of the store's own.
    /// - Parameters:
    ///   - place: the list goes on after it; `nil`: from the beginning.
    ///   - limit: the most messages; brought into 1 to `ExportPage.maximumLimit`.
    func export(
        of user: UserID, after place: ExportPlace?, limit: Int
    ) async throws(StoreError) -> ExportPage
}

/// The answer to `MessageSearch.search`.
package struct SearchPage: Hashable, Sendable {
    /// Each one's body is a message.
    package var messages: [LogEvent]
    package var hasMore: Bool

    /// The longest page.
    package static let maximumLimit = 1000

    package init(messages: [LogEvent], hasMore: Bool) {
        self.messages = messages
        self.hasMore = hasMore
    }
}

/// The answer to `MessageSearch.export`.
package struct ExportPage: Hashable, Sendable {
    /// Each one's body is a message.
    package var messages: [LogEvent]
    /// Where the list goes on; `nil` at its end.
    package var next: ExportPlace?

    /// The longest page.
    package static let maximumLimit = 1000

    package init(messages: [LogEvent], next: ExportPlace?) {
        self.messages = messages
        self.next = next
    }
}

/// A place in the list of what a user has sent: first the messages with a `clientID`, in the order of its bytes, then
/// the others, by thread and seq.
package enum ExportPlace: Hashable, Sendable {
    case clientID(String)
    case message(ThreadID, seq: Int64)

    /// Where the list goes on after a message.
    package init(after event: LogEvent) {
        if let clientID = event.message?.clientID {
            self = .clientID(clientID)
        } else {
            self = .message(event.thread, seq: event.position.seq)
        }
    }
}
