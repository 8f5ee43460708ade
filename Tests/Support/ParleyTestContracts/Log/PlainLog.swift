import ParleyModel

/// A naive reader of one thread's log: every answer is computed from all events.
///
/// The events are as they entered the log, in ascending order of seq, with the seqs assigned by the store. An event
/// about a message that is not among them has no effect.
struct PlainLog {
    private struct Changes {
        var text: String
        var edited: Int64?
        var isDeleted = false
        /// The reacting users, by emoji.
        var reactions: [String: Set<String>] = [:]
    }

    private let events: [LogEvent]
    private let erased: Set<UserID>
    private var statuses: [MessageID: Changes] = [:]

    /// - Parameter erased: the erased users.
    init(_ events: [LogEvent], erased: Set<UserID> = []) {
        self.events = events
        self.erased = erased
        for message in events.compactMap(\.message) { statuses[message.id] = Changes(text: message.text) }
        // Applied first, so that late events restore nothing.
        for case .deleted(let deletion) in events.map(\.body) { statuses[deletion.messageID]?.isDeleted = true }
        for event in events { apply(event) }
    }

    private mutating func apply(_ event: LogEvent) {
        switch event.body {
        case .edited(let edit):
            statuses[edit.messageID]?.text = edit.text
            statuses[edit.messageID]?.edited = event.milliseconds
        case .reaction(let reaction) where erased.contains(reaction.user): break
        case .reaction(let reaction):
            if reaction.isOn {
                statuses[reaction.messageID]?.reactions[reaction.emoji, default: []].insert(reaction.user.text)
            } else {
                statuses[reaction.messageID]?.reactions[reaction.emoji]?.remove(reaction.user.text)
            }
        case .message, .deleted, .joined, .left, .renamed, .role, .visibility: break
        }
    }

    /// The current messages, without reactions.
    var messages: [LogEvent] {
        events.compactMap { event in event.message.map { replaced($0, in: event, isCurrent: true, reactions: []) } }
    }

    /// The current messages.
    var messagesWithReactions: [LogEvent] {
        events.compactMap { event in
            event.message.map { replaced($0, in: event, isCurrent: true, reactions: reactions(to: $0.id)) }
        }
    }

    /// The log as sent to a client that catches up: messages in their current state, and edits with the current text of
    /// their messages.
    var log: [LogEvent] { log(isCurrent: true) }

    /// The log as it happened, without removed texts.
    var sent: [LogEvent] { log(isCurrent: false) }

    private func log(isCurrent: Bool) -> [LogEvent] {
        events.map { event in
            var shown = event
            switch event.body {
            case .message(let message):
                return replaced(
                    message, in: event, isCurrent: isCurrent, reactions: isCurrent ? reactions(to: message.id) : [])
            case .edited(let edit):
                let sender = events.compactMap(\.message).first { $0.id == edit.messageID }?.sender.id
                let isGone = statuses[edit.messageID]?.isDeleted == true || sender.map(erased.contains) == true
                let text = isGone ? "" : isCurrent ? statuses[edit.messageID]?.text ?? "" : edit.text
                shown.body = .edited(
                    MessageEdit(messageID: edit.messageID, messageSeq: edit.messageSeq, text: text, by: edit.by))
            case .joined(let user, let by): shown.body = .joined(self.shown(user), by: by)
            case .left(let user, let by): shown.body = .left(self.shown(user), by: by)
            case .reaction(let reaction):
                if erased.contains(reaction.user) { shown.body = .reaction(reaction.erased) }
            case .deleted, .renamed, .role, .visibility: break
            }
            return shown
        }
    }

    /// The number of messages after `seq` that are not deleted.
    func unread(after seq: Int64) -> Int64 {
        Int64(
            events.count { event in
                guard let message = event.message else { return false }
                return event.position.seq > seq && statuses[message.id]?.isDeleted == false
            })
    }

    private func replaced(
        _ message: Message, in event: LogEvent, isCurrent: Bool, reactions: [ReactionCount]
    ) -> LogEvent {
        let status = statuses[message.id]
        let (isDeleted, isErased) = (status?.isDeleted ?? false, erased.contains(message.sender.id))
        let isGone = isDeleted || isErased
        var replaced = event
        replaced.body = .message(
            Message(
                id: message.id, sender: shown(message.sender),
                text: isGone ? "" : isCurrent ? status?.text ?? message.text : message.text,
                clientID: isErased ? nil : message.clientID, parts: isGone ? [] : message.parts,
                replyTo: message.replyTo,
                status: MessageStatus(
                    editedMilliseconds: isCurrent && !isGone ? status?.edited : nil, isDeleted: isDeleted,
                    isErased: isErased, reactions: isGone ? [] : reactions)))
        return replaced
    }

    private func shown(_ user: User) -> User { erased.contains(user.id) ? User.erased(user.id) : user }

    private func reactions(to id: MessageID) -> [ReactionCount] {
        (statuses[id]?.reactions ?? [:]).filter { !$0.value.isEmpty }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { emoji, users in
                ReactionCount(
                    emoji: emoji, count: Int64(users.count),
                    users: users.sorted().prefix(ReactionCount.maximumUsers).map { UserID(trusted: $0) })
            }
    }
}
