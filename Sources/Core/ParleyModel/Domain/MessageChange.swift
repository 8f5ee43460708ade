/// A requested change to an existing message.
package enum MessageChange: Hashable, Sendable {
    case edit(MessageID, text: String)
    case delete(MessageID)
    case react(MessageID, emoji: String, isOn: Bool)

    package var message: MessageID {
        switch self {
        case .edit(let message, _), .delete(let message), .react(let message, _, _): message
        }
    }
}

/// The replacement of a message's text.
package struct MessageEdit: Hashable, Sendable {
    package let messageID: MessageID
    /// The seq of the message in the log.
    package let messageSeq: Int64
    /// The new text; see `Message.text`. Empty when read back after the message was deleted or erased.
    package let text: String
    package let by: UserID

    package init(messageID: MessageID, messageSeq: Int64, text: String, by: UserID) {
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.text = text
        self.by = by
    }
}

/// The removal of a message's text and parts. Its position in the log remains.
package struct MessageDeletion: Hashable, Sendable {
    package let messageID: MessageID
    /// The seq of the message in the log.
    package let messageSeq: Int64
    package let by: UserID

    package init(messageID: MessageID, messageSeq: Int64, by: UserID) {
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.by = by
    }
}
