import ParleyJSON

/// The transactional outbox: events of committed state changes that have not reached their logs yet.
///
/// An entry is written in the transaction of its change (`StateStore`). The process that made the change relays it at once. Any
/// persister relays entries that a crash or an outage left behind. An entry is deleted when it has taken effect:
///
/// - `append`: when the event is stored. The transaction that stores an event with an `outboxID` deletes the entry, and does
///   not apply the event again, since the change has already been made. Until then the entry may be relayed repeatedly: the log
///   recognises the id of an event that it holds (`EventDraft.outboxID`), and returns the first receipt.
/// - Others: by `complete`, when the log has applied them.
package protocol Outbox: Sendable {
    /// The oldest entries, in the order of their ids.
    /// - Parameter thread: Restricts the result to one thread; `nil` for all threads.
    func outboxEntries(of thread: ThreadID?, limit: Int) async throws(StoreError) -> [OutboxEntry]

    /// The oldest entries of all threads that have waited for at least `age`, in ascending order of id. Entries written by a
    /// batch or a cleanup have no relay of their own, and are included at once.
    /// - Parameters:
    ///   - age: The minimum age in milliseconds of the store's clock.
    ///   - place: Returns entries above this id; 0 starts with the oldest.
    func overdueEntries(age: Int64, after place: Int64, limit: Int) async throws(StoreError) -> [OutboxEntry]

    /// Deletes entries that have taken effect.
    func complete(_ entries: [OutboxEntry]) async throws(StoreError)

    /// Deletes a `forgetThread` entry that has taken effect, and blocks the epochs that it ended, before any later entry of the
    /// thread is relayed.
    /// - Parameter epochs: All epochs that the log has forgotten, in this or an earlier relay of the entry.
    func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError)
}

/// One effect that is relayed to a log.
package struct OutboxEntry: Hashable, Sendable {
    /// The effect on the log.
    package enum Content: Hashable, Sendable {
        /// An event for the thread's log: `joined`, `left`, `renamed`, `role` or `visibility`.
        case append(LogEvent.Body)
        /// The thread was deleted: its log must be dropped, and nothing of its epochs may be appended afterwards.
        case forgetThread
        /// The user was erased: their texts, parts and names must be removed from the thread's log.
        case redactUser(UserID)
        /// An entry that this version cannot read, in a database that a later version has written to. Later entries of the
        /// thread wait for a node of that version.
        case unreadable(kind: String)
    }

    /// The id. Ids ascend in the order of a thread's transactions.
    package let id: Int64
    package let thread: ThreadID
    package let content: Content

    package init(id: Int64, thread: ThreadID, content: Content) {
        self.id = id
        self.thread = thread
        self.content = content
    }

    /// Whether the entry is a `joined` event of a thread.
    package func isJoining(_ thread: ThreadID) -> Bool {
        guard self.thread == thread, case .append(.joined) = content else { return false }
        return true
    }
}

extension OutboxEntry.Content {
    private static let forgetThreadKind = "forget_thread"
    private static let redactUserKind = "redact_user"

    /// The stored form: the kind, and the other data as a JSON object. The kind of an `append` is the kind of its event.
    package var stored: (kind: String, payload: String) {
        switch self {
        case .append(let body):
            // The outbox never holds a message, which would have no `EventFields`.
            let fields = EventFields(body)
            let payload = JSONTree.object([
                "user_id": (fields?.user.text).map(JSONTree.text),
                "user_name": (fields?.userName).flatMap { $0.isEmpty ? nil : JSONTree.text($0) },
                "by_id": (fields?.by?.text).map(JSONTree.text),
                "text": (fields?.text).map(JSONTree.text),
            ])
            return (body.kind.rawValue, payload.canonical)
        case .forgetThread: return (Self.forgetThreadKind, "{}")
        case .redactUser(let user):
            return (Self.redactUserKind, JSONTree.object(["user_id": .text(user.text)]).canonical)
        case .unreadable(let kind): return (kind, "{}")
        }
    }

    /// Makes an `unreadable` entry if this version does not support the kind.
    package init(storedKind kind: String, payload: String) {
        if kind == Self.forgetThreadKind {
            self = .forgetThread
            return
        }
        let tree = try? JSONTree(parsing: payload)
        guard let user = tree?["user_id"]?.text.flatMap({ UserID($0) }) else {
            self = .unreadable(kind: kind)
            return
        }
        if kind == Self.redactUserKind {
            self = .redactUser(user)
            return
        }
        let fields = LogEvent.Kind(rawValue: kind).map { kind in
            EventFields(
                kind: kind, user: user, userName: tree?["user_name"]?.text ?? "",
                by: tree?["by_id"]?.text.flatMap { UserID($0) }, text: tree?["text"]?.text)
        }
        self = fields?.body.map { .append($0) } ?? .unreadable(kind: kind)
    }
}
