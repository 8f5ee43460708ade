import ParleyModel

/// What must be known to judge the events of a batch that change something: their messages, the titles, and who is
/// erased. Read once per batch, and kept up with what the batch does.
struct EventSubjects {
    /// A message that events of the batch are about.
    struct Subject {
        var seq: Int64
        var isDeleted: Bool
        var isErased: Bool
    }

    private struct Key: Hashable {
        var thread: ThreadID
        var id: MessageID
    }

    private var messages: [Key: Subject] = [:]
    /// Whose a title is, by its bytes.
    private var titles: [[UInt8]: ThreadID] = [:]
    private var erased: Set<String> = []
    /// Events of the batch are about these; of other messages nothing needs to be known.
    private let wanted: Set<Key>

    /// The questions, to be asked together; `read` takes the answers.
    let calls: [Call]

    init(_ batch: IngestBatch) {
        var (wanted, titles, people): (Set<Key>, [String], Set<String>) = ([], [], [])
        for case .event(let event) in batch.entries.lazy.map(\.content) {
            switch event.body {
            case .message(let message): people.insert(message.sender.id.text)
            case .joined(let user, _), .left(let user, _): people.insert(user.id.text)
            case .edited(let edit): wanted.insert(Key(thread: event.thread, id: edit.messageID))
            case .deleted(let deletion): wanted.insert(Key(thread: event.thread, id: deletion.messageID))
            case .reaction(let reaction): wanted.insert(Key(thread: event.thread, id: reaction.messageID))
            case .renamed(let title, _): if !title.utf8.contains(0) { titles.append(title) }
            case .role: break
            }
        }
        self.wanted = wanted
        var calls = [WriteQueries.erasedUsers(.texts(people.sorted()))]
        if !wanted.isEmpty || !titles.isEmpty {
            calls += [
                WriteQueries.messagesOfEvents(.texts(wanted.map(\.thread.text)), .texts(wanted.map(\.id.text))),
                WriteQueries.titles(.texts(titles)),
            ]
        }
        self.calls = calls
    }

    /// - Parameter answers: to `calls`.
    mutating func read(_ answers: some Collection<Rows>) throws {
        let answers = Array(answers)
        erased = Set(try answers[0].map { try $0.text(0) })
        guard answers.count > 1 else { return }
        for (key, subject) in try answers[1].map({ row in
            let key = Key(thread: ThreadID(trusted: try row.text(0)), id: MessageID(trusted: try row.text(1)))
            return (key, Subject(seq: try row.int(2), isDeleted: try row.bool(3), isErased: try row.bool(4)))
        }) {
            messages[key] = subject
        }
        for (title, thread) in try answers[2].map({ (Array(try $0.text(0).utf8), ThreadID(trusted: try $0.text(1))) }) {
            titles[title] = thread
        }
    }

    // MARK: Judging

    /// The event as it is stored: of an erased user, nothing that tells of a person.
    func withoutErased(_ event: LogEvent) -> LogEvent {
        guard !erased.isEmpty else { return event }
        var event = event
        switch event.body {
        case .message(let message):
            if erased.contains(message.sender.id.text) { event.body = .message(message.erased) }
        case .joined(let user, let by):
            if erased.contains(user.id.text) { event.body = .joined(.erased(user.id), by: by) }
        case .left(let user, let by):
            if erased.contains(user.id.text) { event.body = .left(.erased(user.id), by: by) }
        case .edited, .deleted, .reaction, .renamed, .role: break
        }
        return event
    }

    /// What an event that is no message does; `nil` for a message.
    /// - Throws: `Poison` if it makes no sense: there is no such message, or the thread has no title of its own.
    /// - Parameter pair: the two of a direct thread; empty for a room.
    func effect(of event: LogEvent, pair: Set<String>) throws -> EventEffect? {
        guard var fields = EventFields(event.body) else { return nil }
        var isVoid = false
        if let id = fields.messageID {
            guard let message = messages[Key(thread: event.thread, id: id)] else { throw Poison("unknown message") }
            fields.messageSeq = message.seq
            // Who is erased can still be deleted: that counts for what is unread.
            isVoid = message.isDeleted || (message.isErased && fields.kind != "deleted")
            if isVoid, fields.kind == "edited" { fields.text = "" }
        }
        if fields.kind == "renamed" {
            guard pair.isEmpty else { throw Poison("a direct thread has no title of its own") }
            let owner = titles[Array((fields.text ?? "").utf8)]
            if let owner, owner != event.thread { isVoid = true }
        }
        if fields.kind == "joined", !pair.isEmpty, !pair.contains(fields.user.text) { isVoid = true }
        return EventEffect(fields: fields, isVoid: isVoid)
    }

    // MARK: Keeping up

    /// A message is stored at `seq`.
    mutating func note(_ message: Message, of thread: ThreadID, at seq: Int64) {
        let key = Key(thread: thread, id: message.id)
        guard wanted.contains(key) else { return }
        messages[key] = Subject(seq: seq, isDeleted: false, isErased: message.isErased)
    }

    /// An event has its effect.
    mutating func note(_ fields: EventFields, in thread: ThreadID) {
        if fields.kind == "deleted", let id = fields.messageID {
            messages[Key(thread: thread, id: id)]?.isDeleted = true
        }
        if fields.kind == "renamed", let title = fields.text {
            titles = titles.filter { $0.value != thread }
            titles[Array(title.utf8)] = thread
        }
    }
}
