/// The stored events of all threads as one stream, for readers that must miss none
/// (docs/decisions/078-events-for-back-ends.md).
///
/// A batch of events enters the stream in the transaction that stores it. The events of a thread are in the order in which they
/// were stored, and so in ascending order of seq, except late events, which are stored below the head of their thread.
package protocol EventFeed: Sendable {
    /// Returns the events after a cursor.
    /// - Returns: `nil` if the database does not have the place of the cursor: it was restored to an earlier state, or the
    ///   cursor belongs to another database.
    func events(after cursor: EventCursor, _ query: EventQuery) async throws(StoreError) -> EventFeedPage?

    /// Returns a cursor after everything that is stored.
    func endOfEvents() async throws(StoreError) -> EventCursor

    /// Returns for each cursor the time at which the oldest events after it were stored, in Unix milliseconds by the database's
    /// clock; `nil` for a cursor at the end of the stream.
    func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?]
}

/// The events that a reader of an `EventFeed` asks for.
package struct EventQuery: Hashable, Sendable {
    /// `nil` for all kinds.
    package var kinds: Set<LogEvent.Kind>?
    /// `nil` for all threads.
    package var thread: ThreadID?
    /// The sender, the subject or the author; `nil` for all users.
    package var user: UserID?
    /// The maximum number of events, clamped to 1...`EventFeedPage.maximumLimit`.
    package let limit: Int

    package init(
        kinds: Set<LogEvent.Kind>? = nil, thread: ThreadID? = nil, user: UserID? = nil,
        limit: Int = EventFeedPage.maximumLimit
    ) {
        self.kinds = kinds
        self.thread = thread
        self.user = user
        self.limit = min(max(limit, 1), EventFeedPage.maximumLimit)
    }

    /// Whether the query asks for an event of its thread.
    package func includes(_ event: LogEvent) -> Bool {
        if let kinds, !kinds.contains(event.body.kind) { return false }
        guard let user else { return true }
        if let message = event.message { return message.sender.id == user }
        guard let fields = EventFields(event.body) else { return false }
        return fields.user == user || fields.by == user
    }
}

/// A part of the stream.
package struct EventFeedPage: Hashable, Sendable {
    /// The maximum number of events that a page looks at, whether the query includes them or not.
    package static let maximumLimit = 200

    /// The events in their present state, with reactions, as `MessageStore.events` returns them.
    package var events: [LogEvent]
    /// The cursor after the page.
    package var next: EventCursor
    /// Whether the page reaches the end of the stream.
    package var isEnd: Bool
    /// The database's time at which the last event before `next` was stored, in Unix milliseconds; `nil` for an empty page.
    package var storedMilliseconds: Int64?

    package init(events: [LogEvent], next: EventCursor, isEnd: Bool, storedMilliseconds: Int64?) {
        self.events = events
        self.next = next
        self.isEnd = isEnd
        self.storedMilliseconds = storedMilliseconds
    }
}

extension LogEvent {
    /// The thread, the epoch and the seq, which identify the event permanently.
    package var feedID: String { "\(thread.text):\(position.epoch.text):\(position.seq)" }
}

/// The thread and the seq in the ID of an event (`LogEvent.feedID`).
package struct FeedPlace: Hashable, Sendable {
    package let thread: ThreadID
    package let seq: Int64

    /// - Returns: `nil` for a text that is no ID.
    package init?(_ id: String) {
        let words = id.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count >= 3, let seq = words.last.flatMap({ Int64($0) }),
            let thread = ThreadID(words.dropLast(2).joined(separator: ":"))
        else { return nil }
        self.thread = thread
        self.seq = seq
    }
}
