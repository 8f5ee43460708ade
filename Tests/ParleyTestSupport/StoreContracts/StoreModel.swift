import ParleyModel

/// A store as plainly as it can be said: everything in arrays, every answer counted anew.
///
/// It knows nothing of how an adapter works, so that the two do not share a mistake.
struct StoreModel {
    struct Thread {
        var info: ThreadInfo
        var pair: [User] = []
        /// In rising order of `position.seq`, which is the stored one; `messageCount` is not kept.
        var log: [(event: LogEvent, logSeq: Int64)] = []
        var head: Int64 = 0
        var epoch: Epoch?
        var members: [UserID: (cursor: Int64, joined: Int64, role: Membership.Role)] = [:]

        /// All events in rising order, each with how many messages there are up to it.
        var events: [LogEvent] {
            var count: Int64 = 0
            return log.map { entry in
                if entry.event.message != nil { count += 1 }
                var event = entry.event.stored
                event.messageCount = count
                return event
            }
        }

        var messages: [LogEvent] { events.filter { $0.message != nil } }
    }

    var users: [User] = []
    var threads: [ThreadID: Thread] = [:]
    var rejects = Set<String>()
    var checkpoint: IngestCheckpoint?

    // MARK: Changes

    mutating func join(_ title: String, _ user: User, newID: ThreadID, at milliseconds: Int64) -> JoinedRoom {
        let found = threads.values.first { $0.info.kind == .room && $0.info.title == title }
        var thread = found ?? Thread(info: ThreadInfo(id: newID, kind: .room, title: title))
        let isNew = thread.members[user.id] == nil
        if isNew { thread.members[user.id] = (thread.head, milliseconds, found == nil ? .owner : .member) }
        let role = thread.members[user.id]?.role ?? .member
        threads[thread.info.id] = thread
        return JoinedRoom(membership: Membership(thread: thread.info, role: role), isNewMember: isNew)
    }

    mutating func markRead(_ id: ThreadID, by user: User, through seq: Int64?) {
        guard let thread = threads[id], let cursor = thread.members[user.id]?.cursor else { return }
        threads[id]?.members[user.id]?.cursor = seq.map { max($0, 0) } ?? max(cursor, thread.head)
    }

    /// The reason of a reject is always `""`.
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

    /// - Returns: `nil` for a reject.
    private mutating func write(_ event: LogEvent) -> StoreOutcome? {
        let seq = event.position.seq
        guard var thread = threads[event.thread] ?? newDirectThread(for: event) else { return nil }
        defer { threads[event.thread] = thread }
        let oldHead = thread.head
        if seq > thread.head { (thread.head, thread.epoch) = (seq, event.position.epoch) }
        if let there = place(of: event, in: thread) { return .repeated(seq: there) }
        if let message = event.message, let clientID = message.clientID, isUsed(clientID, by: message.sender) {
            return nil
        }

        var event = event
        if thread.log.contains(where: { $0.event.position.seq == seq }) {
            thread.head += 1
            thread.epoch = event.position.epoch
            event.position.seq = thread.head
        } else if seq <= oldHead, let next = thread.log.first(where: { $0.event.position.seq > seq }) {
            event.milliseconds = min(event.milliseconds, next.event.milliseconds)
        }
        let index = thread.log.firstIndex { $0.event.position.seq > event.position.seq } ?? thread.log.count
        if index > 0 { event.milliseconds = max(event.milliseconds, thread.log[index - 1].event.milliseconds) }
        thread.log.insert((event, seq), at: index)

        let reader: UserID
        switch event.body {
        case .message(let message): reader = message.sender.id
        case .joined(let user, _): reader = user.id
        case .edited, .deleted, .reaction, .left, .renamed, .role: return nil
        }
        if let cursor = thread.members[reader]?.cursor {
            thread.members[reader]?.cursor = max(cursor, event.position.seq)
        }
        return .stored(seq: event.position.seq)
    }

    private func newDirectThread(for event: LogEvent) -> Thread? {
        guard let message = event.message, let recipient = message.recipient else { return nil }
        var thread = Thread(info: ThreadInfo(id: event.thread, kind: .direct, title: ""))
        thread.pair = [message.sender, recipient]
        for user in thread.pair { thread.members[user.id] = (0, event.milliseconds, .member) }
        return thread
    }

    private func place(of event: LogEvent, in thread: Thread) -> Int64? {
        thread.log.first { stored, logSeq in
            switch (event.body, stored.body) {
            case (.message(let new), .message(let old)):
                new.id == old.id || (new.clientID != nil && new.clientID == old.clientID && new.sender == old.sender)
            case (.joined(let new, _), .joined(let old, _)):
                new == old && logSeq == event.position.seq && stored.position.epoch == event.position.epoch
            default:
                false
            }
        }?.event.position.seq
    }

    private func isUsed(_ clientID: String, by sender: User) -> Bool {
        threads.values.contains { thread in
            thread.log.contains { $0.event.message?.clientID == clientID && $0.event.message?.sender == sender }
        }
    }

    // MARK: Answers

    func inbox(of user: User) -> [InboxEntry] {
        summaries(of: user).map {
            InboxEntry(thread: $0.membership.thread, lastMessage: $0.lastMessage, unreadCount: $0.unreadCount)
        }
    }

    /// All threads of a user, as a list has them.
    func summaries(of user: User) -> [ThreadSummary] {
        let threads = threads.values.compactMap { thread -> ThreadSummary? in
            guard let member = thread.members[user.id] else { return nil }
            let messages = thread.messages
            var info = thread.info
            let peer = info.kind == .direct ? thread.pair.first { $0 != user } ?? user : nil
            if let peer { info = ThreadInfo(id: info.id, kind: .direct, title: peer.name) }
            return ThreadSummary(
                membership: Membership(thread: info, role: member.role, peer: peer),
                head: head(of: info.id)?.position, readSeq: member.cursor,
                unreadCount: Int64(messages.count { $0.position.seq > member.cursor }), lastMessage: messages.last,
                activity: messages.last?.milliseconds ?? member.joined)
        }
        return threads.sorted {
            ($1.activity, $0.membership.thread.id.text) < ($0.activity, $1.membership.thread.id.text)
        }
    }

    func head(of id: ThreadID) -> ThreadHead? {
        guard let thread = threads[id], let epoch = thread.epoch else { return nil }
        return ThreadHead(
            position: Position(epoch: epoch, seq: thread.head),
            milliseconds: thread.log.map(\.event.milliseconds).max() ?? 0,
            messageCount: Int64(thread.messages.count))
    }

    /// The page that filtering all messages gives; they come in rising order.
    static func page(of messages: [LogEvent], _ query: MessageQuery) -> MessagePage {
        func second(_ event: LogEvent) -> Int64 { event.milliseconds / 1000 }
        var matching = messages.filter { event in
            second(event) < query.before ?? .max && second(event) > query.after ?? .min
                && event.position.seq < query.beforeSeq ?? .max && event.position.seq > query.afterSeq ?? .min
        }
        let isAscending = query.after != nil || query.afterSeq != nil
        if !isAscending { matching.reverse() }
        var count = min(max(query.limit, 0), matching.count)
        if query.keepsSecondsWhole, count > 0 {
            while count < matching.count, second(matching[count]) == second(matching[count - 1]) { count += 1 }
        }
        let page = matching.prefix(count)
        return MessagePage(messages: isAscending ? page.reversed() : Array(page), isEnd: count == matching.count)
    }
}
