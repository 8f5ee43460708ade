/// What somebody said in a thread, before it has a place in the log; and what is left of it when it is read back.
package struct Message: Hashable, Sendable {
    package let id: MessageID
    /// The author. Guests of the line door are authors too, though they have no account.
    package let sender: User
    /// 1 to `Limits.textScalars` Unicode scalars, no NUL; empty if the message is deleted or erased, or has parts.
    package let text: String
    /// The sender's own name for this send, unique for the sender; makes a repeated send one message.
    package let clientID: String?
    /// In a direct thread, the other of the two. The store makes the thread from it with the first message.
    package let recipient: User?
    /// What the message has besides its text, at most `MessagePart.maximumCount`; see `MessagePart.flaw(in:)`.
    package let parts: [MessagePart]
    /// The seq of the message of the same thread that this one answers.
    package let replyTo: Int64?
    /// What became of it since; only a message that was read back has a history.
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

    /// What must be the same in a repeat under the same `clientID`: text, parts, and what is answered.
    ///
    /// Distinct for distinct contents; the text itself for a message that is nothing else, which is nearly every one.
    package var content: String {
        if parts.isEmpty, replyTo == nil { return text }
        // No text has a NUL.
        return "\(text)\0\(MessagePart.json(parts))\0\(replyTo.map(String.init) ?? "")"
    }

    /// What is left of the message of an erased user.
    package var erased: Message {
        var status = status
        status.isErased = true
        status.editedMilliseconds = nil
        return Message(
            id: id, sender: .erased(sender.id), text: "", clientID: clientID, recipient: recipient, replyTo: replyTo,
            status: status)
    }

    /// The text is gone because somebody deleted the message.
    package var isDeleted: Bool { status.isDeleted }
    /// The text is gone because the author was erased.
    package var isErased: Bool { status.isErased }
}
