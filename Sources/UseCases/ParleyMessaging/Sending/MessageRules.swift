package import ParleyModel

/// The checks of a message or an edit before it is appended: the sender's rights, and the limits on the content. A value
/// without `await`, since every send uses it.
package struct MessageRules: Hashable, Sendable {
    /// The maximum length of a text, in Unicode scalars.
    package let textScalars: Int

    package init(textScalars: Int) {
        self.textScalars = textScalars
    }

    /// - Parameter hasParts: Whether the message has parts, so that its text may be empty.
    /// - Throws: `tooLarge` or `invalid`.
    package func check(_ text: String, hasParts: Bool = false) throws(MessagingError) {
        guard let violation = MessageText.violation(in: text, limit: textScalars) else { return }
        switch violation {
        case .tooLong: throw .tooLarge(violation.explanation)
        case .empty where hasParts: return
        case .empty, .containsNUL: throw .invalid(violation.explanation)
        }
    }

    /// - Parameter parts: Well-formed parts; see `MessagePart.parts(_:)`.
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

    /// Checks that a member may write: send, edit, delete, react and publish typing indicators.
    /// - Parameter now: The current time in Unix milliseconds, which is read only for a member with a mute.
    /// - Throws: `forbidden`.
    package func check(
        writingAs membership: Membership, at now: @autoclosure () -> Int64
    ) throws(MessagingError) {
        if let violation = MessageRights.violation(writingAs: membership) { throw MessagingError(violation) }
        if let mute = membership.mute, mute.isInForce(at: now()) { throw MessagingError(mute) }
    }

    /// Checks the rights that only some messages need.
    /// - Throws: `forbidden`.
    package func check(_ message: NewMessage, as membership: Membership) throws(MessagingError) {
        let violation = MessageRights.violation(
            sending: [message.text] + message.parts.compactMap(\.plainText),
            attaching: message.parts.contains { $0.plainText == nil }, as: membership)
        if let violation { throw MessagingError(violation) }
    }

    /// Returns the log event of a message change, or `nil` if there is nothing to do because the message is already gone.
    /// - Parameter message: The current state of the message.
    /// - Throws: `forbidden`, or `notFound` if the message is gone.
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

extension MessagePart {
    /// The text of a text part.
    fileprivate var plainText: String? {
        if case .text(let text) = self { text } else { nil }
    }
}
