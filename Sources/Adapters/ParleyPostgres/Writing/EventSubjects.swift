import ParleyModel
import ParleyStorage

/// The rows that determine the effects of a batch's events: the messages they refer to, and the erased users. They are
/// read once per batch and kept up to date with its effects.
struct EventSubjects {
    private struct Key: Hashable {
        var thread: ThreadID
        var id: MessageID
    }

    private var messages: [Key: EventEffect.Subject] = [:]
    private var erased: Set<String> = []
    /// The messages that events of the batch refer to. No others are tracked.
    private let wanted: Set<Key>

    /// The users whose texts or names appear in the events, and the users who caused the events.
    private let people: Set<String>

    init(_ contents: [IngestBatch.Entry.Content]) {
        var (wanted, people): (Set<Key>, Set<String>) = ([], [])
        for event in contents.lazy.compactMap(\.anyEvent) {
            people.formUnion([event.person, event.author].compactMap { $0?.text })
            if let id = event.body.messageID { wanted.insert(Key(thread: event.thread, id: id)) }
        }
        (self.wanted, self.people) = (wanted, people)
    }

    // MARK: Reading

    struct Tokens {
        fileprivate let erased: Pipeline.Token<String>
        fileprivate let messages: Pipeline.Token<(thread: ThreadID, id: MessageID, subject: EventEffect.Subject)>?
    }

    func add(to pipeline: inout Pipeline) -> Tokens {
        let erased = pipeline.add(WriteQueries.erasedUsers(.texts(people.sorted())))
        guard !wanted.isEmpty else { return Tokens(erased: erased, messages: nil) }
        let call = WriteQueries.messagesOfEvents(.texts(wanted.map(\.thread.text)), .texts(wanted.map(\.id.text)))
        return Tokens(erased: erased, messages: pipeline.add(call))
    }

    mutating func read(_ tokens: Tokens, _ replies: Replies) throws {
        erased = Set(try replies.all(tokens.erased))
        guard let messages = tokens.messages else { return }
        for (thread, id, subject) in try replies.all(messages) {
            self.messages[Key(thread: thread, id: id)] = subject
        }
    }

    // MARK: Facts

    func isErased(_ user: UserID) -> Bool { !erased.isEmpty && erased.contains(user.text) }

    func message(_ id: MessageID, in thread: ThreadID) -> EventEffect.Subject? {
        messages[Key(thread: thread, id: id)]
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

extension LogEvent.Body {
    /// The message that an event refers to.
    fileprivate var messageID: MessageID? {
        switch self {
        case .edited(let edit): edit.messageID
        case .deleted(let deletion): deletion.messageID
        case .reaction(let reaction): reaction.messageID
        case .message, .joined, .left, .renamed, .role, .visibility: nil
        }
    }
}
