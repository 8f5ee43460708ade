/// The stored events of all threads as one stream, for readers that must miss none
/// (docs/decisions/078-events-for-back-ends.md).
///
/// A batch of events enters the stream in the transaction that stores it. The events of a thread are in the order in which they
/// were stored, and so in ascending order of seq, except late events, which are stored below the head of their thread.
///
/// A row of a table (`RowLane`) enters the stream in the transaction that writes it. The rows of a lane are in the order of
/// their commits, and independent of the events of logs.
package protocol EventFeed: Sendable {
    /// Returns the events after a cursor.
    /// - Returns: `nil` if the database does not have the place of the cursor: it was restored to an earlier state, or the
    ///   cursor belongs to another database. A row of a `RowLane` that has expired is no such place.
    func events(after cursor: EventCursor, _ query: EventQuery) async throws(StoreError) -> EventFeedPage?

    /// Returns a cursor after everything that is stored.
    func endOfEvents() async throws(StoreError) -> EventCursor

    /// Returns for each cursor the time at which the oldest events after it were stored, in Unix milliseconds by the database's
    /// clock; `nil` for a cursor at the end of the stream.
    func oldestEvents(after cursors: [EventCursor]) async throws(StoreError) -> [Int64?]
}

/// The events that a reader of an `EventFeed` asks for.
package struct EventQuery: Hashable, Sendable {
    /// The kinds of log events; `nil` for all.
    package var kinds: Set<LogEvent.Kind>?
    /// The lanes whose rows are included.
    package var rows: Set<RowLane>
    /// `nil` for all threads, and for rows of the audit log without one.
    package var thread: ThreadID?
    /// The sender, the subject, the author, the user concerned, the actor or the recipient; `nil` for all users.
    package var user: UserID?
    /// The maximum number of events, clamped to 1...`EventFeedPage.maximumLimit`.
    package let limit: Int

    package init(
        kinds: Set<LogEvent.Kind>? = nil, rows: Set<RowLane> = [], thread: ThreadID? = nil, user: UserID? = nil,
        limit: Int = EventFeedPage.maximumLimit
    ) {
        self.kinds = kinds
        self.rows = rows
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

    /// Whether the query asks for an event of its thread, or for a row.
    package func includes(_ event: FeedEvent) -> Bool {
        switch event {
        case .log(let event): return includes(event)
        case .audit(let entry):
            let note = entry.note
            guard rows.contains(.audit), thread == nil || note.thread == thread else { return false }
            return user == nil || note.user == user || note.actor.user == user
        case .unseen(let message):
            let id = message.id
            return rows.contains(.unseen) && (thread == nil || id.thread == thread) && (user == nil || id.user == user)
        }
    }

    /// The same query with another limit.
    package func limited(to limit: Int) -> EventQuery {
        EventQuery(kinds: kinds, rows: rows, thread: thread, user: user, limit: limit)
    }
}

/// A part of the stream.
package struct EventFeedPage: Hashable, Sendable {
    /// The maximum number of events that a page looks at, whether the query includes them or not.
    package static let maximumLimit = 200

    /// Events of logs in their present state, with reactions, as `MessageStore.events` returns them, and rows of tables.
    package var entries: [FeedEvent]
    /// The cursor after the page.
    package var next: EventCursor
    /// Whether the page reaches the end of the stream.
    package var isEnd: Bool
    /// The database's time at which the last event before `next` was stored, in Unix milliseconds; `nil` for an empty page.
    package var storedMilliseconds: Int64?

    /// The entries that are events of a log.
    package var events: [LogEvent] { entries.compactMap(\.log) }

    package init(entries: [FeedEvent], next: EventCursor, isEnd: Bool, storedMilliseconds: Int64?) {
        self.entries = entries
        self.next = next
        self.isEnd = isEnd
        self.storedMilliseconds = storedMilliseconds
    }
}
