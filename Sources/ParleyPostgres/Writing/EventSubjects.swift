import ParleyModel
import ParleyStorage

/// The rows that determine the effects of a batch's events: their messages and the erased users.
/// Read once per batch and kept up to date with its effects.
struct EventSubjects {
    private struct Key: Hashable {
        var thread: ThreadID
        var id: MessageID
    }

    private var messages: [Key: EventEffect.Subject] = [:]
    private var erased: Set<String> = []
    /// The messages that events of the batch refer to; no others are tracked.
    private let wanted: Set<Key>

    /// The queries, to be sent together; `read` takes their results.
    let calls: [Call]

    init(_ batches: [IngestBatch]) {
        var (wanted, people): (Set<Key>, Set<String>) = ([], [])
        for event in batches.lazy.flatMap(\.entries).compactMap(\.content.anyEvent) {
            switch event.body {
            case .message(let message): people.insert(message.sender.id.text)
            case .joined(let user, _), .left(let user, _): people.insert(user.id.text)
            case .edited(let edit):
                wanted.insert(Key(thread: event.thread, id: edit.messageID))
                people.insert(edit.by.text)
            case .deleted(let deletion): wanted.insert(Key(thread: event.thread, id: deletion.messageID))
            case .reaction(let reaction):
                wanted.insert(Key(thread: event.thread, id: reaction.messageID))
                people.insert(reaction.user.text)
            case .renamed, .role: break
            }
        }
        self.wanted = wanted
        var calls = [WriteQueries.erasedUsers(.texts(people.sorted()))]
        if !wanted.isEmpty {
            calls.append(
                WriteQueries.messagesOfEvents(.texts(wanted.map(\.thread.text)), .texts(wanted.map(\.id.text))))
        }
        self.calls = calls
    }

    /// - Parameter replies: the results of `calls`.
    mutating func read(_ replies: some Collection<Rows>) throws {
        let replies = Array(replies)
        erased = Set(try replies[0].map { try $0.text(0) })
        guard replies.count > 1 else { return }
        for (key, subject) in try replies[1].map({ row in
            let key = Key(thread: ThreadID(trusted: try row.text(0)), id: MessageID(trusted: try row.text(1)))
            return (
                key, EventEffect.Subject(seq: try row.int(2), isDeleted: try row.bool(3), isErased: try row.bool(4))
            )
        }) {
            messages[key] = subject
        }
    }

    // MARK: Effects

    /// Whether any user of the batch is erased.
    var hasErased: Bool { !erased.isEmpty }

    func isErased(_ user: UserID) -> Bool { erased.contains(user.text) }

    /// The event as it is stored: without personal data of erased users.
    func withoutErased(_ event: LogEvent) -> LogEvent {
        erased.isEmpty ? event : event.withoutErased(isErased)
    }

    /// The effect of an event that is not a message; `nil` for a message.
    /// - Throws: `Rejection` if the event is invalid.
    func effect(of event: LogEvent) throws -> EventEffect? {
        try EventEffect(of: event) { messages[Key(thread: event.thread, id: $0)] }
    }

    // MARK: Updates

    /// Records a message stored at `seq`.
    mutating func note(_ message: Message, of thread: ThreadID, at seq: Int64) {
        let key = Key(thread: thread, id: message.id)
        guard wanted.contains(key) else { return }
        messages[key] = EventEffect.Subject(seq: seq, isDeleted: false, isErased: message.isErased)
    }

    /// Records the effect of an event.
    mutating func note(_ fields: EventFields, in thread: ThreadID) {
        if fields.kind == .deleted, let id = fields.messageID {
            messages[Key(thread: thread, id: id)]?.isDeleted = true
        }
    }
}
