import ParleyModel

/// The content of a `NaiveStore`, as a value.
struct NaiveTables: Sendable {
    private struct Member {
        let user: User
        let joined: Int64
        var readSeq: Int64
        var role = Membership.Role.member
    }

    private struct Thread {
        var info: ThreadInfo
        /// As they entered the log.
        var events: [LogEvent] = []
        var members: [UserID: Member] = [:]
        /// Positions of events that were already stored.
        var repeats: Set<Position> = []

        var plain: PlainLog { PlainLog(events) }
    }

    private struct Progress {
        var incarnation: String
        var outcomes: [String: StoreOutcome] = [:]
        var offset = ""
    }

    private var all: [ThreadID: Thread] = [:]
    /// All messages with a `clientID`, in the order of storing.
    private var sent: [Use] = []
    private var progress: [Partition: Progress] = [:]
    private(set) var rejects: [String] = []

    var threads: [ThreadID] { all.keys.sorted { $0.text < $1.text } }

    /// The log as it happened, without removed texts.
    func log(of thread: ThreadID) -> [LogEvent] {
        all[thread]?.plain.sent ?? []
    }

    func plain(_ thread: ThreadID) -> PlainLog {
        all[thread]?.plain ?? PlainLog([])
    }

    func head(of thread: ThreadID) -> ThreadHead? {
        guard let last = all[thread]?.events.last else { return nil }
        return ThreadHead(
            position: last.position, milliseconds: last.milliseconds, messageCount: last.messageCount)
    }

    func places(in thread: ThreadID) -> Set<Position> {
        guard let thread = all[thread] else { return [] }
        return thread.repeats.union(thread.events.map(\.position))
    }

    /// A message with a `clientID`, as sent.
    private struct Use {
        let event: LogEvent

        func isSame(_ message: Message, _ thread: ThreadID) -> Bool {
            event.thread == thread && event.message?.content == message.content
        }
    }

    /// In the order of storing.
    private func uses(of message: Message) -> [Use] {
        guard let clientID = message.clientID else { return [] }
        return sent.filter {
            $0.event.message?.clientID == clientID && $0.event.message?.sender.id == message.sender.id
        }
    }

    func send(_ query: SendQuery) -> StoredSend? {
        guard let first = uses(of: query.message).first else { return nil }
        let receipt = Receipt(
            thread: first.event.thread, position: first.event.position, milliseconds: first.event.milliseconds,
            messageID: first.event.message?.id, isRepeat: true)
        return StoredSend(receipt: receipt, isSame: first.isSame(query.message, query.thread))
    }

    func checkpoint(of partition: Partition) -> IngestCheckpoint? {
        progress[partition].map { IngestCheckpoint(incarnation: $0.incarnation, offset: $0.offset) }
    }

    mutating func remove(_ thread: ThreadID) {
        all[thread] = nil
        sent.removeAll { $0.event.thread == thread }
    }

    mutating func forgetNames(of user: UserID) {
        sent.removeAll { $0.event.message?.sender.id == user }
    }

    mutating func addMember(_ user: User, of info: ThreadInfo, at milliseconds: Int64) {
        let readSeq = all[info.id]?.events.last?.position.seq ?? 0
        all[info.id, default: Thread(info: info)].info = info
        guard all[info.id]?.members[user.id] == nil else { return }
        all[info.id]?.members[user.id] = Member(user: user, joined: milliseconds, readSeq: readSeq)
    }

    /// The state of a member and, in a direct thread, of the other user.
    func member(
        _ user: UserID, of thread: ThreadID
    ) -> (joined: Int64, readSeq: Int64, role: Membership.Role, peer: User?) {
        let thread = all[thread]
        let others = thread?.members.values.filter { $0.user.id != user } ?? []
        let member = thread?.members[user]
        return (
            member?.joined ?? 0, member?.readSeq ?? 0, member?.role ?? .member,
            thread?.info.kind == .direct ? (others.first ?? member)?.user : nil
        )
    }

    // MARK: Writing

    mutating func write(_ batch: IngestBatch) -> [StoreOutcome] {
        if progress[batch.partition]?.incarnation != batch.incarnation {
            progress[batch.partition] = Progress(incarnation: batch.incarnation)
        }
        return batch.entries.map { entry in
            let outcome: StoreOutcome
            switch progress[batch.partition]?.outcomes[entry.offset] {
            case .stored(let seq), .repeated(let seq):
                return .repeated(seq: seq)
            case .rejected(let reason):
                return .rejected(reason)
            case .dropped(let reason):
                return .dropped(reason)
            case .marked:
                return .marked
            case nil:
                outcome = store(entry)
            }
            progress[batch.partition]?.outcomes[entry.offset] = outcome
            progress[batch.partition]?.offset = entry.offset
            return outcome
        }
    }

    private mutating func store(_ entry: IngestBatch.Entry) -> StoreOutcome {
        switch entry.content {
        case .event(let event):
            let outcome = store(event)
            if case .repeated = outcome { all[event.thread]?.repeats.insert(event.position) }
            if case .rejected(let reason) = outcome { rejects.append(reason) }
            return outcome
        case .readMark(let mark):
            markRead(mark.thread, by: mark.user, through: mark.seq)
            return .marked
        case .unreadable(let reason, _), .refused(_, let reason):
            rejects.append(reason)
            return .rejected(reason)
        }
    }

    mutating func store(_ event: LogEvent) -> StoreOutcome {
        var event = event
        event.origin = nil
        event.wantsStored = false
        event.outboxID = nil
        let info = ThreadInfo(id: event.thread, kind: event.message?.recipient == nil ? .room : .direct, title: "")
        var thread = all[event.thread] ?? Thread(info: info)
        if let same = thread.events.first(where: { isSame($0, event) }) { return .repeated(seq: same.position.seq) }
        if let message = event.message, let same = uses(of: message).first(where: { $0.isSame(message, event.thread) })
        {
            return .repeated(seq: same.event.position.seq)
        }
        if let id = event.body.subject, !thread.events.contains(where: { $0.message?.id == id }) {
            return .rejected("unknown message")
        }
        if let last = thread.events.last {
            let hasEnded = last.position.epoch == event.position.epoch.successor
            let isBehind = event.position.seq <= last.position.seq && event.position.epoch != last.position.epoch
            if hasEnded || isBehind || thread.events.contains(where: { $0.position.seq == event.position.seq }) {
                event.position = Position(
                    epoch: event.position.epoch.successor, seq: max(last.position.seq, event.position.seq) + 1)
            }
            event.milliseconds = max(last.milliseconds, event.milliseconds)
        }
        thread.events.append(event)
        thread.events.sort { $0.position.seq < $1.position.seq }
        apply(event, to: &thread)
        all[event.thread] = thread
        if event.message?.clientID != nil { sent.append(Use(event: event)) }
        return .stored(seq: event.position.seq)
    }

    private func isSame(_ one: LogEvent, _ other: LogEvent) -> Bool {
        switch (one.body, other.body) {
        case (.message(let one), .message(let other)): one.id == other.id
        case (.message, _), (_, .message): false
        default: one.body == other.body && one.position == other.position
        }
    }

    private func apply(_ event: LogEvent, to thread: inout Thread) {
        switch event.body {
        case .joined(let user, _):
            thread.members[user.id] = Member(
                user: user, joined: event.milliseconds, readSeq: event.position.seq)
        case .message(let message):
            if let recipient = message.recipient {
                for user in [message.sender, recipient] where thread.members[user.id] == nil {
                    thread.members[user.id] = Member(user: user, joined: event.milliseconds, readSeq: 0)
                }
            }
            thread.members[message.sender.id]?.readSeq = event.position.seq
        case .left(let user, _):
            thread.members[user.id] = nil
        case .renamed(let title, _):
            thread.info = thread.info.with(title: title)
        case .role(let user, let role, _):
            thread.members[user]?.role = role
        case .visibility(let visibility, _):
            thread.info = thread.info.with(visibility: visibility)
        case .edited, .deleted, .reaction:
            break
        }
    }

    // MARK: Read cursors

    func inbox(of user: UserID) -> [InboxEntry] {
        let entries = all.values.compactMap { thread -> (Int64, InboxEntry)? in
            guard let member = thread.members[user] else { return nil }
            let plain = thread.plain
            let messages = plain.messages
            let other = thread.members.values.first { $0.user.id != user }?.user.name
            let info = thread.info
            let title = info.kind == .direct ? other ?? "" : info.title
            return (
                messages.last?.milliseconds ?? member.joined,
                InboxEntry(
                    thread: info.with(title: title), lastMessage: messages.last,
                    unreadCount: plain.unread(after: member.readSeq))
            )
        }
        return entries.sorted { $0.0 > $1.0 }.map(\.1)
    }

    func messages(in thread: ThreadID, _ query: MessageQuery) -> MessagePage {
        let matching = plain(thread).messages.filter { message in
            let second = message.milliseconds / 1000
            let seq = message.position.seq
            return query.before.map { second < $0 } ?? true && query.after.map { second > $0 } ?? true
                && query.beforeSeq.map { seq < $0 } ?? true && query.afterSeq.map { seq > $0 } ?? true
        }
        // In the direction of the query, nearest first.
        let isUpward = query.after != nil || query.afterSeq != nil
        let ordered = isUpward ? matching : matching.reversed()
        var count = min(query.limit, ordered.count)
        while query.keepsSecondsWhole, count > 0, count < ordered.count,
            ordered[count].milliseconds / 1000 == ordered[count - 1].milliseconds / 1000
        {
            count += 1
        }
        let page = Array(ordered.prefix(count))
        return MessagePage(messages: isUpward ? page.reversed() : page, isEnd: count == ordered.count)
    }

    mutating func markRead(_ thread: ThreadID, by user: UserID, through seq: Int64?) {
        let end = all[thread]?.events.last?.position.seq ?? 0
        all[thread]?.members[user]?.readSeq = seq ?? end
    }
}
