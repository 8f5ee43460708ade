package import ParleyModel

/// The current status of some messages, computed from log events applied in order.
package struct MessageStatuses: Sendable {
    private struct Changes: Sendable {
        var edit: (text: String, milliseconds: Int64)?
        var isDeleted = false
        var reactions: [Reaction] = []
    }

    private var statuses: [MessageID: Changes] = [:]

    /// - Parameter events: The events that will be passed to `present`.
    package init(of events: [LogEvent]) {
        for event in events {
            if let message = event.subject { statuses[message] = Changes() }
        }
    }

    /// Applies events, which must be in log order.
    package mutating func note(_ events: [LogEvent]) {
        for event in events {
            switch event.body {
            case .edited(let edit): statuses[edit.messageID]?.edit = (edit.text, event.milliseconds)
            case .deleted(let deletion): statuses[deletion.messageID]?.isDeleted = true
            case .reaction(let reaction): statuses[reaction.messageID]?.reactions.append(reaction)
            case .message, .joined, .left, .renamed, .role, .visibility: break
            }
        }
    }

    /// Returns the event in its current state.
    package func present(_ event: LogEvent) -> LogEvent {
        guard let subject = event.subject, let status = statuses[subject] else { return event }
        var present = event
        switch event.body {
        case .message(let message):
            present.body = .message(self.present(message, status))
        case .edited(let edit):
            // An edit without a text belongs to a message whose text is gone, and later edits had no effect.
            let text = status.isDeleted || edit.text.isEmpty ? "" : status.edit?.text ?? edit.text
            present.body = .edited(
                MessageEdit(messageID: edit.messageID, messageSeq: edit.messageSeq, text: text, by: edit.by))
        case .deleted, .reaction, .joined, .left, .renamed, .role, .visibility:
            break
        }
        return present
    }

    private func present(_ message: Message, _ status: Changes) -> Message {
        if message.isDeleted || message.isErased { return message }
        if status.isDeleted { return message.deleted }
        var shown = message.status
        if let edit = status.edit { shown.editedMilliseconds = edit.milliseconds }
        if !status.reactions.isEmpty {
            var tally = ReactionTally(shown.reactions)
            for reaction in status.reactions { tally.note(reaction) }
            shown.reactions = tally.counts
        }
        return Message(
            id: message.id, sender: message.sender, text: status.edit?.text ?? message.text, clientID: message.clientID,
            recipient: message.recipient, parts: message.parts, replyTo: message.replyTo,
            senderDisplayName: message.senderDisplayName, status: shown)
    }
}

extension LogEvent {
    /// The message that the event contains or edits.
    fileprivate var subject: MessageID? {
        switch body {
        case .message(let message): message.id
        case .edited(let edit): edit.messageID
        case .deleted, .reaction, .joined, .left, .renamed, .role, .visibility: nil
        }
    }
}
