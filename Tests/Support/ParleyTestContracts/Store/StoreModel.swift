import ParleyModel

/// A naive model of a store: everything is in arrays, and every answer is computed from all of it.
///
/// It shares no implementation with an adapter, so that they do not share an error.
struct StoreModel {
    struct Thread {
        var info: ThreadInfo
        var pair: [User] = []
        /// In ascending order of `position.seq`, the stored one; `messageCount` is not kept.
        var log: [(event: LogEvent, logSeq: Int64)] = [] {
            didSet { replies = Replies() }
        }
        /// Seqs without content, since their message is stored elsewhere.
        var skipped: [Int64: Skipped] = [:]
        var head: Int64 = 0
        var epoch: Epoch?
        var members: [UserID: (cursor: Int64, joined: Int64, role: Membership.Role)] = [:]
        /// Who has left as `readOnly`, and is that again when they join.
        var leftReadOnly: Set<UserID> = []
        /// The answers computed since the log last changed.
        var replies = Replies()
    }

    struct Skipped {
        var epoch: Epoch
        var message: MessageID
        var first: Int64
    }

    /// A message with a `clientID`, as sent.
    struct Use {
        var event: LogEvent

        func isSame(_ message: Message, in thread: ThreadID) -> Bool {
            guard let mine = event.message else { return false }
            return event.thread == thread && mine.text == message.text && mine.parts == message.parts
                && mine.replyTo == message.replyTo
        }
    }

    /// A cache of computed answers.
    final class Replies {
        var plain: PlainLog?
        var messages: [LogEvent]?
    }

    var users: [User] = []
    var erased: Set<UserID> = [] {
        didSet { for id in threads.keys { threads[id]?.replies = Replies() } }
    }
    var threads: [ThreadID: Thread] = [:]
    /// By sender and `clientID`, in the order of storing.
    var uses: [String: [Use]] = [:]
    var rejects = Set<String>()
    var checkpoint: IngestCheckpoint?

    // MARK: Changes

    mutating func join(_ title: String, _ user: User, newID: ThreadID, at milliseconds: Int64) -> JoinedRoom {
        let found = threads.values.first { $0.info.kind == .room && $0.info.title == title }
        var thread = found ?? Thread(info: ThreadInfo(id: newID, kind: .room, title: title))
        let isNew = thread.members[user.id] == nil
        if isNew {
            let role =
                found == nil ? .owner : thread.leftReadOnly.remove(user.id) == nil ? .member : Membership.Role.readOnly
            thread.members[user.id] = (thread.head, milliseconds, role)
        }
        let role = thread.members[user.id]?.role ?? .member
        threads[thread.info.id] = thread
        return JoinedRoom(membership: Membership(thread: thread.info, role: role), isNewMember: isNew)
    }

    mutating func leave(_ id: ThreadID, _ user: UserID) {
        guard let member = threads[id]?.members.removeValue(forKey: user) else { return }
        if member.role == .readOnly { threads[id]?.leftReadOnly.insert(user) }
    }

    mutating func rename(_ id: ThreadID, to title: String) {
        guard let info = threads[id]?.info else { return }
        threads[id]?.info = info.with(title: title)
    }

    mutating func markRead(_ id: ThreadID, by user: User, through seq: Int64?) {
        guard let thread = threads[id], let cursor = thread.members[user.id]?.cursor else { return }
        threads[id]?.members[user.id]?.cursor = seq.map { max($0, 0) } ?? max(cursor, thread.head)
    }

    mutating func erase(_ user: UserID) {
        for id in threads.keys {
            threads[id]?.members[user] = nil
            threads[id]?.leftReadOnly.remove(user)
        }
        erased.insert(user)
        uses = uses.filter { $0.value.first?.event.message?.sender.id != user }
    }

    /// The reason of a rejection is always `""`.
    mutating func write(_ batch: IngestBatch) -> [StoreOutcome] {
        checkpoint = batch.checkpoint ?? checkpoint
        return batch.entries.map { entry in
            guard case .event(let event) = entry.content, let outcome = write(event) else {
                rejects.insert("\(batch.incarnation) \(entry.offset)")
                return .rejected("")
            }
            return outcome
        }
    }

    /// - Returns: `nil` for a rejection.
    private mutating func write(_ event: LogEvent) -> StoreOutcome? {
        let seq = event.position.seq
        guard var thread = threads[event.thread] ?? newDirectThread(for: event) else { return nil }
        defer { threads[event.thread] = thread }
        let oldHead = thread.head
        let hasEnded = thread.epoch == event.position.epoch.successor
        let isBehind = seq <= oldHead && thread.epoch != nil && thread.epoch != event.position.epoch
        if seq > thread.head {
            thread.head = seq
            if !hasEnded { thread.epoch = event.position.epoch }
        }
        if let there = place(of: event, in: thread) { return .repeated(seq: there) }
        if let message = event.message,
            let same = uses(of: message).first(where: { $0.isSame(message, in: event.thread) })
        {
            let first = same.event.position.seq
            if seq > oldHead || !thread.isTaken(seq) {
                thread.skipped[seq] = Skipped(epoch: event.position.epoch, message: message.id, first: first)
            }
            return .repeated(seq: first)
        }
        guard var event = meaning(of: event, in: thread) else { return nil }
        if event.message?.recipient != nil {
            for user in thread.pair where thread.members[user.id] == nil && !erased.contains(user.id) {
                thread.members[user.id] = (oldHead, event.milliseconds, .member)
            }
        }

        if thread.isTaken(seq) || hasEnded || isBehind {
            thread.head += 1
            event.position = Position(epoch: event.position.epoch.successor, seq: thread.head)
            thread.epoch = event.position.epoch
        } else if seq <= oldHead, let next = thread.log.first(where: { $0.event.position.seq > seq }) {
            event.milliseconds = min(event.milliseconds, next.event.milliseconds)
        }
        let index = thread.log.firstIndex { $0.event.position.seq > event.position.seq } ?? thread.log.count
        if index > 0 { event.milliseconds = max(event.milliseconds, thread.log[index - 1].event.milliseconds) }
        thread.log.insert((event, seq), at: index)
        if let message = event.message, let key = key(message) {
            uses[key, default: []].append(Use(event: event))
        }

        let reader: UserID? =
            switch event.body {
            case .message(let message): message.sender.id
            case .joined(let user, _): user.id
            case .edited, .deleted, .reaction, .left, .renamed, .role, .visibility: nil
            }
        if let reader, let cursor = thread.members[reader]?.cursor {
            thread.members[reader]?.cursor = max(cursor, event.position.seq)
        }
        return .stored(seq: event.position.seq)
    }

    /// The event with the current seq of its message; `nil` if it is invalid.
    private func meaning(of event: LogEvent, in thread: Thread) -> LogEvent? {
        var meant = event
        if let id = event.body.subject {
            guard let message = thread.log.first(where: { $0.event.message?.id == id }) else { return nil }
            var fields = EventFields(event.body)
            fields?.messageSeq = message.event.position.seq
            guard let body = fields?.body else { return nil }
            meant.body = body
        }
        return meant
    }

    private func newDirectThread(for event: LogEvent) -> Thread? {
        guard let message = event.message, let recipient = message.recipient else { return nil }
        var thread = Thread(info: ThreadInfo(id: event.thread, kind: .direct, title: ""))
        thread.pair = [message.sender, recipient]
        return thread
    }

    private func place(of event: LogEvent, in thread: Thread) -> Int64? {
        let skipped = thread.skipped[event.position.seq]
        if let skipped, skipped.epoch == event.position.epoch, skipped.message == event.message?.id {
            return skipped.first
        }
        return thread.log.first { stored, logSeq in
            if let new = event.message, let old = stored.message { return new.id == old.id }
            guard let new = EventFields(event.body), let old = EventFields(stored.body) else { return false }
            return new.kind == old.kind && new.user == old.user && logSeq == event.position.seq
                && [event.position.epoch, event.position.epoch.successor].contains(stored.position.epoch)
        }?.event.position.seq
    }

    /// The messages sent under the same `clientID`, the first one first.
    func uses(of message: Message) -> [Use] {
        key(message).flatMap { uses[$0] } ?? []
    }

    /// An erased user's `clientID`s mean nothing.
    private func key(_ message: Message) -> String? {
        guard !erased.contains(message.sender.id) else { return nil }
        return message.clientID.map { "\(message.sender.id) \($0)" }
    }
}

extension StoreModel.Thread {
    /// Whether something is stored at the seq, or the log has used it without content.
    func isTaken(_ seq: Int64) -> Bool {
        skipped[seq] != nil || log.contains { $0.event.position.seq == seq }
    }
}
