package import ParleyModel

/// What must hold for a message or an edit before it goes to the log: the rights of who sends it and the limits of what
/// is sent. A value without await, for the way of every send.
package struct MessageRules: Hashable, Sendable {
    /// The longest text, in Unicode scalars.
    package let textScalars: Int

    package init(textScalars: Int) {
        self.textScalars = textScalars
    }

    /// - Parameter hasParts: the text may be empty.
    /// - Throws: `tooLarge` or `invalid`.
    package func check(_ text: String, hasParts: Bool = false) throws(MessagingError) {
        guard let violation = MessageText.violation(in: text, limit: textScalars) else { return }
        switch violation {
        case .tooLong: throw .tooLarge(violation.explanation)
        case .empty where hasParts: return
        case .empty, .containsNUL: throw .invalid(violation.explanation)
        }
    }

    /// - Parameter parts: well-formed, see `MessagePart.parts(_:)`.
    /// - Throws: `tooLarge` or `invalid`.
    package func check(_ parts: [MessagePart]) throws(MessagingError) {
        for (index, part) in parts.enumerated() {
            guard case .text(let text) = part, let violation = MessageText.violation(in: text, limit: textScalars)
            else {
                continue
            }
            let explanation = "part \(index): \(violation.explanation)"
            if case .tooLong = violation { throw .tooLarge(explanation) }
            throw .invalid(explanation)
        }
    }

    /// A member may write here: send, edit, delete, react, and be seen typing.
    /// - Throws: `forbidden`.
    package func check(writingAs membership: Membership) throws(MessagingError) {
        if let violation = MessageRights.violation(writingAs: membership) { throw MessagingError(violation) }
    }

    /// The event of a message that may be sent.
    /// - Parameters:
    ///   - message: its text and parts have passed `check`.
    ///   - membership: the place of the sender in the thread.
    package func draft(
        of message: Message, as membership: Membership, from origin: ConnectionID? = nil, wantsStored: Bool = false
    ) throws(MessagingError) -> EventDraft {
        try check(writingAs: membership)
        return EventDraft(
            thread: membership.thread.id, body: .message(message), origin: origin, wantsStored: wantsStored)
    }

    /// What a change of a message puts into the log; `nil` if there is nothing to do: what is gone stays so.
    /// - Parameter message: the message, as it is now.
    /// - Throws: `forbidden`, or `notFound` for what is gone.
    package func body(
        of change: MessageChange, to message: MessagePlace, by user: UserID, as membership: Membership
    ) throws(MessagingError) -> LogEvent.Body? {
        switch change {
        case .edit(let id, let text):
            if let violation = MessageRights.violation(editing: message, by: user) { throw MessagingError(violation) }
            return .edited(MessageEdit(messageID: id, messageSeq: message.seq, text: text, by: user))
        case .delete(let id):
            if let violation = MessageRights.violation(deleting: message, by: user, in: membership) {
                throw MessagingError(violation)
            }
            return message.isGone ? nil : .deleted(MessageDeletion(messageID: id, messageSeq: message.seq, by: user))
        case .react(let id, let emoji, let isOn):
            if let violation = MessageRights.violation(reactingTo: message) { throw MessagingError(violation) }
            return .reaction(Reaction(messageID: id, messageSeq: message.seq, user: user, emoji: emoji, isOn: isOn))
        }
    }
}
