/// A send or a change that the server has not confirmed, or has refused.
public struct UnconfirmedSend: Hashable, Sendable {
    /// The kinds of sends and changes.
    public enum Kind: Hashable, Sendable {
        /// A new message.
        case message
        /// A new text for a message.
        case edit
        /// The deletion of a message.
        case deletion
        /// A reaction that is added or removed.
        case reaction
    }

    /// The kind of the send or change.
    public let kind: Kind
    /// The ``ChatMessage/id`` of the message that is sent or changed.
    public let messageID: ChatMessage.ID
    /// The text of a message or an edit, or the emoji of a reaction. It is empty for a deletion.
    public let text: String
    /// The reason for the server's refusal; `nil` if the send or change is pending.
    public let failure: ChatError?

    /// Creates a send or a change.
    /// - Parameters:
    ///   - kind: The kind of the send or change.
    ///   - messageID: The ``ChatMessage/id`` of the message.
    ///   - text: The text of a message or an edit, or the emoji of a reaction.
    ///   - failure: The reason for the server's refusal.
    public init(kind: Kind, messageID: ChatMessage.ID, text: String, failure: ChatError? = nil) {
        self.kind = kind
        self.messageID = messageID
        self.text = text
        self.failure = failure
    }

    /// - Returns: `nil` if the entry is confirmed and only waits for its event.
    init?(_ entry: ClientOutboxEntry) {
        guard entry.isPending || entry.failure != nil else { return nil }
        switch entry.content {
        case .message(let draft): (kind, text) = (.message, draft.text)
        case .edit(_, let text): (kind, self.text) = (.edit, text)
        case .deletion: (kind, text) = (.deletion, "")
        case .reaction(_, let emoji, _): (kind, text) = (.reaction, emoji)
        }
        messageID = ChatMessage.ID(entry.target?.localID ?? entry.id)
        failure = entry.failure?.error
    }
}
