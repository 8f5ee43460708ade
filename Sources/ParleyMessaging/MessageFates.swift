package import ParleyModel

/// What becomes of some messages by the events of a log, which are noted in their order.
package struct MessageFates: Sendable {
    private struct Fate: Sendable {
        var edit: (text: String, milliseconds: Int64)?
        var isDeleted = false
        var reactions: [Reaction] = []
    }

    private var fates: [MessageID: Fate] = [:]

    /// - Parameter events: those that will be asked for.
    package init(of events: [LogEvent]) {
        for event in events {
            if let message = event.subject { fates[message] = Fate() }
        }
    }

    package mutating func note(_ events: [LogEvent]) {
        for event in events {
            switch event.body {
            case .edited(let edit): fates[edit.messageID]?.edit = (edit.text, event.milliseconds)
            case .deleted(let deletion): fates[deletion.messageID]?.isDeleted = true
            case .reaction(let reaction): fates[reaction.messageID]?.reactions.append(reaction)
            case .message, .joined, .left, .renamed, .role: break
            }
        }
    }

    /// The event as things are now.
    package func present(_ event: LogEvent) -> LogEvent {
        guard let subject = event.subject, let fate = fates[subject] else { return event }
        var present = event
        switch event.body {
        case .message(let message):
            present.body = .message(self.present(message, fate))
        case .edited(let edit):
            // One without a text is of a message that is gone, and what was edited later was void.
            let text = fate.isDeleted || edit.text.isEmpty ? "" : fate.edit?.text ?? edit.text
            present.body = .edited(
                MessageEdit(messageID: edit.messageID, messageSeq: edit.messageSeq, text: text, by: edit.by))
        case .deleted, .reaction, .joined, .left, .renamed, .role:
            break
        }
        return present
    }

    private func present(_ message: Message, _ fate: Fate) -> Message {
        if message.isDeleted || message.isErased { return message }
        if fate.isDeleted { return message.deleted }
        var shown = message.fate
        if let edit = fate.edit { shown.editedMilliseconds = edit.milliseconds }
        if !fate.reactions.isEmpty {
            var tally = ReactionTally(shown.reactions)
            for reaction in fate.reactions { tally.note(reaction) }
            shown.reactions = tally.counts
        }
        return Message(
            id: message.id, sender: message.sender, text: fate.edit?.text ?? message.text, clientID: message.clientID,
            recipient: message.recipient, parts: message.parts, replyTo: message.replyTo, fate: shown)
    }
}

extension LogEvent {
    /// The message that the event is, or whose text it says.
    fileprivate var subject: MessageID? {
        switch body {
        case .message(let message): message.id
        case .edited(let edit): edit.messageID
        case .deleted, .reaction, .joined, .left, .renamed, .role: nil
        }
    }
}
