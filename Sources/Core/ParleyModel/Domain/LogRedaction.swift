/// Content that is removed from the newest part of a thread's log. The events keep their positions.
package enum LogRedaction: Hashable, Sendable {
    /// The content of deleted messages: texts, parts, and the texts of edits.
    case messages(Set<MessageID>)
    /// The content of an erased user: texts, parts and `clientID`s of their messages, their reactions, and every occurrence of their name.
    case user(UserID)

    /// Returns the redacted form of an event, or `nil` if there is nothing to remove, for example because the event is already redacted.
    package func placeholder(for event: LogEvent) -> LogEvent? {
        guard let body = remainder(of: event.body), body != event.body else { return nil }
        var event = event
        event.body = body
        return event
    }

    private func remainder(of body: LogEvent.Body) -> LogEvent.Body? {
        switch (self, body) {
        case (.messages(let ids), .message(let message)) where ids.contains(message.id):
            .message(message.deleted)
        case (.messages(let ids), .edited(let edit)) where ids.contains(edit.messageID):
            .edited(edit.withoutText)
        case (.user(let user), .message(let message)):
            .message(message.without(user))
        case (.user(let user), .edited(let edit)) where edit.by == user:
            .edited(edit.withoutText)
        case (.user(let user), .reaction(let reaction)) where reaction.user == user:
            .reaction(reaction.erased)
        case (.user(let user), .joined(let member, let by)) where member.id == user:
            .joined(.erased(user), by: by)
        case (.user(let user), .left(let member, let by)) where member.id == user:
            .left(.erased(user), by: by)
        default:
            nil
        }
    }
}

extension Message {
    /// The redacted form of a deleted message.
    package var deleted: Message {
        Message(
            id: id, sender: sender, text: "", clientID: clientID, recipient: recipient, replyTo: replyTo,
            senderDisplayName: senderDisplayName, status: MessageStatus(isDeleted: true, isErased: status.isErased))
    }

    /// The redacted form for an erased user, who may be the sender, the recipient or neither.
    fileprivate func without(_ user: UserID) -> Message {
        let message = sender.id == user ? erased : self
        guard message.recipient?.id == user else { return message }
        return Message(
            id: message.id, sender: message.sender, text: message.text, clientID: message.clientID,
            recipient: .erased(user), parts: message.parts, replyTo: message.replyTo,
            senderDisplayName: message.senderDisplayName, status: message.status)
    }
}

extension MessageEdit {
    /// The redacted form of an edit of a message that has lost its text.
    package var withoutText: MessageEdit {
        MessageEdit(messageID: messageID, messageSeq: messageSeq, text: "", by: by)
    }
}
