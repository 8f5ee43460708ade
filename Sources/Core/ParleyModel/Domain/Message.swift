/// The content of a message, without a position in the log; when read back, also its present status.
package struct Message: Hashable, Sendable {
    package let id: MessageID
    /// The author. Guests of the line protocol are authors too, though they have no account.
    package let sender: User
    /// 1 to `Limits.textScalars` Unicode scalars, no NUL. Empty if the message is deleted or erased, or has parts.
    package let text: String
    /// The sender's id for this send, unique per sender; makes sends idempotent.
    package let clientID: String?
    /// The other member of a direct thread. The store creates the thread from it with the first message.
    package let recipient: User?
    /// The content besides the text, at most `MessagePart.maximumCount` parts; see
    /// `MessagePart.violation(in:textScalars:)`.
    package let parts: [MessagePart]
    /// The seq of the message in the same thread that this one replies to.
    package let replyTo: Int64?
    /// Maximum length of a `clientID`, in Unicode scalars.
    package static let maximumClientIDScalars = 64

    /// Later changes of the message; set only on messages that were read back.
    package var status: MessageStatus

    package init(
        id: MessageID, sender: User, text: String, clientID: String? = nil, recipient: User? = nil,
        parts: [MessagePart] = [], replyTo: Int64? = nil, status: MessageStatus = MessageStatus()
    ) {
        self.id = id
        self.sender = sender
        self.text = text
        self.clientID = clientID
        self.recipient = recipient
        self.parts = parts
        self.replyTo = replyTo
        self.status = status
    }

    /// Whether a part refers to an attachment.
    package var hasAttachments: Bool { parts.contains { $0.attachment != nil } }

    /// Whether clients and back ends may use this id for a send.
    package static func isValid(clientID: String) -> Bool {
        (1...maximumClientIDScalars).contains(clientID.unicodeScalars.count) && !clientID.utf8.contains(0)
    }

    /// The content that a repeat under the same `clientID` must share: text, parts and `replyTo`.
    ///
    /// Distinct for distinct contents. A plain text message, the usual case, is represented by its text itself.
    package var content: String {
        if parts.isEmpty, replyTo == nil { return text }
        // NUL is a safe separator: no text contains it.
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

    /// The text is gone because the message was deleted.
    package var isDeleted: Bool { status.isDeleted }
    /// The text is gone because the author was erased.
    package var isErased: Bool { status.isErased }
}

/// The fate of a message after it entered the log, according to the store.
package struct MessageStatus: Hashable, Sendable {
    /// When the text was last edited, in Unix milliseconds; `nil` if it never was.
    package var editedMilliseconds: Int64?
    /// Deleted: text and parts are gone, the position in the log remains.
    package var isDeleted: Bool
    /// The author was erased: text, parts and names are gone, the position in the log remains.
    package var isErased: Bool
    /// Current reactions, one element for each emoji, sorted by the emoji's bytes.
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
