import ParleyModel

/// A store and a simulated log that feeds it, for the facts.
///
/// Used by one task only.
final class StoreFixture {
    let database: any StoreDatabase
    let store: any StoreUnderTest
    var partition = Partition(number: 7)
    var incarnation = "first"
    var epoch = Epoch("epoch1")
    /// The log's clock; each event advances it by `step`.
    var milliseconds: Int64 = 1_700_000_000_000
    var step: Int64 = 10
    private var heads: [ThreadID: Int64] = [:]
    private var counts: [ThreadID: Int64] = [:]
    private var entries = 0
    private var names = 0

    init(database: any StoreDatabase, store: any StoreUnderTest) {
        self.database = database
        self.store = store
    }

    // MARK: Users and rooms

    func user(_ name: String) async throws -> User {
        let user = User(id: UserID(trusted: "u-\(name)"), name: name)
        try await store.createUser(user, passwordHash: nil)
        return user
    }

    /// Creates a room with these members, the first being its owner; no events are written.
    func room(_ title: String, _ users: User...) async throws -> ThreadID {
        // A title may contain characters that an id may not.
        let id = ThreadID("r-\(title)") ?? ThreadID(trusted: "r-\(FNV1a128.hex(of: title))")
        return try await store.importRoom(title, id: id, members: users, at: milliseconds)
    }

    // MARK: Events

    /// A message with the next seq of its thread, or with `seq`.
    func message(
        _ text: String, from sender: User, in thread: ThreadID, seq: Int64? = nil, id: String? = nil,
        clientID: String? = nil, to recipient: User? = nil, at date: Int64? = nil
    ) -> LogEvent {
        names += 1
        let message = Message(
            id: MessageID(trusted: id ?? "m-\(names)"), sender: sender, text: text, clientID: clientID,
            recipient: recipient)
        return event(.message(message), in: thread, seq: seq, at: date)
    }

    func direct(_ text: String, from sender: User, to recipient: User) -> LogEvent {
        message(text, from: sender, in: ThreadInfo.directID(sender.id, recipient.id), to: recipient)
    }

    func joined(_ user: User, in thread: ThreadID, seq: Int64? = nil) -> LogEvent {
        event(.joined(user), in: thread, seq: seq, at: nil)
    }

    func edit(_ message: LogEvent, _ text: String, by user: User) -> LogEvent {
        let edit = MessageEdit(messageID: message.id, messageSeq: message.position.seq, text: text, by: user.id)
        return event(.edited(edit), in: message.thread)
    }

    func delete(_ message: LogEvent, by user: User) -> LogEvent {
        let deletion = MessageDeletion(messageID: message.id, messageSeq: message.position.seq, by: user.id)
        return event(.deleted(deletion), in: message.thread)
    }

    func react(_ message: LogEvent, _ emoji: String, by user: User, isOn: Bool = true) -> LogEvent {
        let reaction = Reaction(
            messageID: message.id, messageSeq: message.position.seq, user: user.id, emoji: emoji, isOn: isOn)
        return event(.reaction(reaction), in: message.thread)
    }

    /// An event with the next seq of its thread, or with `seq`.
    func event(
        _ body: LogEvent.Body, in thread: ThreadID, seq: Int64? = nil, at date: Int64? = nil, outboxID: Int64? = nil
    ) -> LogEvent {
        let place = seq ?? heads[thread, default: 0] + 1
        heads[thread] = max(heads[thread, default: 0], place)
        var event = LogEvent(
            thread: thread, position: Position(epoch: epoch, seq: place), milliseconds: date ?? milliseconds,
            messageCount: 0, body: body, origin: ConnectionID(trusted: "c-1"))
        event.outboxID = outboxID
        if event.message != nil { counts[thread, default: 0] += 1 }
        event.messageCount = counts[thread, default: 0]
        milliseconds += step
        return event
    }

    /// Adds an outbox entry of arbitrary content; the first one's id is 1.
    func entry(of thread: ThreadID) async throws {
        try await database.apply(.addOutboxEntry(thread))
    }

    // MARK: Writing

    /// A batch with unused offsets.
    func batch(_ events: [LogEvent]) -> IngestBatch {
        batch(contents: events.map { .event($0) })
    }

    func batch(contents: [IngestBatch.Entry.Content]) -> IngestBatch {
        let batch = contents.map { content in
            entries += 1
            return IngestBatch.Entry(offset: "\(entries)-0", content: content)
        }
        return IngestBatch(partition: partition, incarnation: incarnation, entries: batch)
    }

    @discardableResult
    func write(_ events: LogEvent...) async throws -> [StoreOutcome] {
        try await store.write(batch(events))
    }

    @discardableResult
    func write(_ batch: IngestBatch) async throws -> [StoreOutcome] {
        try await store.write(batch)
    }

    // MARK: Read cursors

    func unread(_ user: User, in thread: ThreadID) async throws -> Int64? {
        try await store.inbox(of: user.id).first { $0.thread.id == thread }?.unreadCount
    }

    /// All messages of a thread, in ascending order.
    func messages(in thread: ThreadID) async throws -> [LogEvent] {
        try await store.messages(in: thread, MessageQuery(limit: 10_000)).messages.reversed()
    }

    /// `text@seq` of all messages of a thread, in ascending order.
    func texts(in thread: ThreadID) async throws -> [String] {
        try await messages(in: thread).map { "\($0.message?.text ?? "")@\($0.position.seq)" }
    }

    /// The stored send of the message's sender and `clientID`.
    func send(_ event: LogEvent) async throws -> StoredSend? {
        guard let message = event.message else { return nil }
        return try await store.sends([SendQuery(thread: event.thread, message: message)])[0]
    }

    func membership(of user: User, in thread: ThreadID) async throws -> Membership? {
        try await store.memberships(of: [user.id])[user.id]?.first { $0.thread.id == thread }
    }
}

extension LogEvent {
    /// The event as a store returns it, without the fields that are not stored.
    var stored: LogEvent {
        var event = self
        event.origin = nil
        event.wantsStored = false
        event.outboxID = nil
        if let message {
            event.body = .message(
                Message(
                    id: message.id, sender: message.sender, text: message.text, clientID: message.clientID,
                    parts: message.parts, replyTo: message.replyTo))
        }
        return event
    }
}

extension LogEvent {
    /// The id of a message; an unknown one for other events.
    fileprivate var id: MessageID { message?.id ?? MessageID(trusted: "none") }
}

extension StoreOutcome {
    var isRejected: Bool {
        if case .rejected = self { true } else { false }
    }
}
