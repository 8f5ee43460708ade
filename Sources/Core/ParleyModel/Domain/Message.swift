/// The content of a message without its position in the log. A message that was read back also has its current status.
package struct Message: Hashable, Sendable {
    package let id: MessageID
    /// The author. Guests of the line protocol can be authors although they have no account.
    package let sender: User
    /// The text: 1 to `Limits.textScalars` Unicode scalars without NUL. Empty if the message is deleted or erased, or has parts.
    package let text: String
    /// The sender's id for this send, unique per sender. It makes sends idempotent.
    package let clientID: String?
    /// The other member of a direct thread, from which the store creates the thread with its first message.
    package let recipient: User?
    /// The content besides the text: at most `MessagePart.maximumCount` parts; see `MessagePart.violation(in:textScalars:)`.
    package let parts: [MessagePart]
    /// The seq of the message in the same thread that this message replies to.
    package let replyTo: Int64?
    /// The sender's display name: in the log that of the time of the send, and in the store the present one. `nil` if it
    /// equals the username.
    package let senderDisplayName: String?
    /// The maximum length of a `clientID`, in Unicode scalars.
    package static let maximumClientIDScalars = 64

    /// Later changes of the message. Set only on messages that were read back.
    package var status: MessageStatus

    package init(
        id: MessageID, sender: User, text: String, clientID: String? = nil, recipient: User? = nil,
        parts: [MessagePart] = [], replyTo: Int64? = nil, senderDisplayName: String? = nil,
        status: MessageStatus = MessageStatus()
    ) {
        self.id = id
        self.sender = sender
        self.text = text
        self.clientID = clientID
        self.recipient = recipient
        self.parts = parts
        self.replyTo = replyTo
        self.senderDisplayName = senderDisplayName
        self.status = status
    }

    /// Whether a part refers to an attachment.
    package var hasAttachments: Bool { parts.contains { $0.attachment != nil } }

    /// Whether clients and back ends may use a `clientID` for a send.
    package static func isValid(clientID: String) -> Bool {
        (1...maximumClientIDScalars).contains(clientID.unicodeScalars.count) && !clientID.utf8.contains(0)
    }

    /// The content that a repeat under the same `clientID` must have: text, parts and `replyTo`.
    ///
    /// It is different for different content. A plain text message, the usual case, is represented by its text.
    package var content: String {
        if parts.isEmpty, replyTo == nil { return text }
        // NUL is a safe separator, since texts do not contain it.
        return "\(text)\0\(MessagePart.json(parts))\0\(replyTo.map(String.init) ?? "")"
    }

    /// The message of an erased user, with its content and `clientID` removed.
    package var erased: Message {
        var status = status
        status.isErased = true
        status.editedMilliseconds = nil
        return Message(
            id: id, sender: .erased(sender.id), text: "", recipient: recipient, replyTo: replyTo, status: status)
    }

    /// Whether the text is gone because the message was deleted.
    package var isDeleted: Bool { status.isDeleted }
    /// Whether the text is gone because the author was erased.
    package var isErased: Bool { status.isErased }
}

/// The changes to a message since it entered the log, according to the store.
package struct MessageStatus: Hashable, Sendable {
    /// The time of the last edit in Unix milliseconds; `nil` if the text was never edited.
    package var editedMilliseconds: Int64?
    /// Whether the message was deleted. Its text and parts are gone; its position in the log remains.
    package var isDeleted: Bool
    /// Whether the author was erased. Text, parts and names are gone; the position in the log remains.
    package var isErased: Bool
    /// The current reactions, one element for each emoji, sorted by the bytes of the emoji.
    package var reactions: [ReactionCount]

    package init(
        editedMilliseconds: Int64? = nil, isDeleted: Bool = false, isErased: Bool = false,
        reactions: [ReactionCount] = []
    ) {
        self.editedMilliseconds = editedMilliseconds
        self.isDeleted = isDeleted
        self.isErased = isErased
        self.reactions = reactions
    }
}
