/// Queries over the stored messages of many threads.
package protocol MessageSearch: Sendable {
    /// Returns messages whose text contains all these words, in any order and case, in the threads that `user` belongs to.
    /// Newest first; messages of the same date are ordered by thread id, then by descending seq.
    ///
    /// Deleted and erased messages are not found. The database defines words: letters and digits, matched whole. A query
    /// without words finds nothing.
    /// - Parameters:
    ///   - thread: restricts the search to one thread; `nil` for all.
    ///   - limit: maximum number of messages; clamped to 1...`SearchPage.maximumLimit`.
    func search(
        _ words: String, of user: UserID, in thread: ThreadID?, limit: Int
    ) async throws(StoreError) -> SearchPage

    /// A message of a thread by its id; `nil` if it is not stored, or not yet.
    func message(_ id: MessageID, in thread: ThreadID) async throws(StoreError) -> MessagePlace?

    /// Returns the deleted or erased ones among these messages (`MessagePlace.isGone`), in one query. Messages that are not
    /// stored are missing.
    /// - Parameter keys: At most `MessageKey.maximumCount`.
    func gone(among keys: [MessageKey]) async throws(StoreError) -> Set<MessageKey>

    /// Returns all messages sent by a user, in an order that the store chooses.
    /// - Parameters:
    ///   - place: continues after it; `nil` starts at the beginning.
    ///   - limit: maximum number of messages; clamped to 1...`ExportPage.maximumLimit`.
    func export(
        of user: UserID, after place: ExportPlace?, limit: Int
    ) async throws(StoreError) -> ExportPage
}

/// The result of `MessageSearch.search`.
package struct SearchPage: Hashable, Sendable {
    /// The body of each is a message.
    package var messages: [LogEvent]
    package var hasMore: Bool

    /// The maximum page size.
    package static let maximumLimit = 1000

    package init(messages: [LogEvent], hasMore: Bool) {
        self.messages = messages
        self.hasMore = hasMore
    }
}

/// The result of `MessageSearch.export`.
package struct ExportPage: Hashable, Sendable {
    /// The body of each is a message.
    package var messages: [LogEvent]
    /// The place to continue from; `nil` at the end.
    package var next: ExportPlace?

    /// The maximum page size.
    package static let maximumLimit = 1000

    package init(messages: [LogEvent], next: ExportPlace?) {
        self.messages = messages
        self.next = next
    }
}

/// A position in the list of messages sent by a user. The list begins with the messages that own their `clientID`, in an order
/// that the store chooses; the others follow thread by thread, by seq.
package enum ExportPlace: Hashable, Sendable {
    case clientID(String)
    case message(ThreadID, seq: Int64)

    /// The position after a message.
    package init(after event: LogEvent) {
        if let clientID = event.message?.clientID {
            self = .clientID(clientID)
        } else {
            self = .message(event.thread, seq: event.position.seq)
        }
    }
}
