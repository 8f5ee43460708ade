import ParleyModel
import ParleyStorage

/// Messages, events and threads as readers see them.
extension Tables {
    /// - Throws: `StoreError.failed` for parts that this version cannot decode.
    func event(of row: MessageRow, in thread: ThreadID) throws -> LogEvent {
        // The erasure of the author may not have reached this row yet.
        let isErased = row.isErased || isErasing(row.sender)
        let message = Message(
            id: row.id, sender: isErased ? .erased(row.sender) : User(id: row.sender, name: row.senderName),
            text: isErased ? "" : row.text, clientID: row.clientID ?? row.laterClientID,
            parts: isErased ? [] : try row.parts.map { try MessagePart.stored($0) } ?? [], replyTo: row.replyTo,
            senderDisplayName: isErased ? nil : users[row.sender]?.otherDisplayName,
            status: MessageStatus(
                editedMilliseconds: isErased ? nil : row.edited, isDeleted: row.deleted != nil, isErased: isErased))
        return LogEvent(
            thread: thread, position: Position(epoch: Epoch(row.epoch), seq: row.seq), milliseconds: row.milliseconds,
            messageCount: row.n, body: .message(message))
    }

    /// A message with its reactions.
    func eventWithReactions(of row: MessageRow, in thread: ThreadID) throws -> LogEvent {
        let event = try event(of: row, in: thread)
        guard event.message?.isErased == false, let reactions = logs[thread]?.reactions[row.seq] else { return event }
        return event.with(
            reactions: reactions.sorted { $0.key < $1.key }.map { emoji, users in
                let listed = users.sorted { $0.text < $1.text }.prefix(ReactionCount.maximumUsers)
                return ReactionCount(emoji: emoji.text, count: Int64(users.count), users: Array(listed))
            })
    }

    /// An edit has the current text of its message.
    /// - Throws: `StoreError.failed` for a missing field.
    func event(of row: EventRow, in thread: ThreadID) throws -> LogEvent {
        var fields = row.fields
        if !fields.userName.isEmpty, isErasing(fields.user) { fields.userName = User.erased(fields.user).name }
        if fields.kind == .edited {
            let message = fields.messageSeq.flatMap { logs[thread]?.message(at: $0) }
            fields.text = message.flatMap { isErasing($0.sender) ? nil : $0.text } ?? ""
        }
        guard let body = fields.body else {
            throw StoreError.failed("an event of the kind \(fields.kind.rawValue) lacks a field")
        }
        return LogEvent(
            thread: thread, position: Position(epoch: Epoch(row.epoch), seq: row.seq), milliseconds: row.milliseconds,
            messageCount: row.n, body: body)
    }

    // MARK: Threads of a user

    func summary(of user: UserID, in id: ThreadID) throws -> ThreadSummary? {
        guard let thread = threads[id], let row = member(user, of: id), let membership = membership(of: user, in: id)
        else { return nil }
        let log = logs[id]
        let last = thread.lastMessageSeq.flatMap { $0 >= row.visibleFrom ? log?.message(at: $0) : nil }
        // Without what the member does not see.
        let readSeq = max(row.readSeq, row.visibleFrom - 1)
        let known = readSeq == row.readSeq ? row.readN : nil
        let read = known ?? log?.count(upTo: readSeq) ?? 0
        return ThreadSummary(
            membership: membership, head: thread.head?.position, readSeq: row.readSeq,
            unreadCount: thread.headN - read - (log?.countDeleted(after: readSeq) ?? 0),
            lastMessage: try last.map { try event(of: $0, in: id) }, activity: last?.milliseconds ?? row.joined)
    }

    /// The threads of a user, newest activity first, and by thread id where the dates are equal.
    func summaries(of user: UserID) throws -> [ThreadSummary] {
        try (threadsByMember[user] ?? []).compactMap { try summary(of: user, in: $0) }.sorted {
            (-$0.activity, $0.membership.thread.id.text) < (-$1.activity, $1.membership.thread.id.text)
        }
    }
}
