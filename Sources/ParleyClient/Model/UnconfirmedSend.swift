/// A send or a change that the server has not confirmed, or has refused.
public struct UnconfirmedSend: Hashable, Sendable {
    /// What it is.
    public enum Kind: Hashable, Sendable {
        case message
        case edit
        case deletion
        case reaction
    }

    public let kind: Kind
    /// ``ChatMessage/id`` of the message, or of the one that is to change.
    public let messageID: String
    /// The text of a message or an edit, or the emoji of a reaction; empty for a deletion.
    public let text: String
    /// Why the server has refused it; `nil` if it is on its way.
    public let failure: ChatError?

    /// - Returns: `nil` for an entry that is confirmed, and only waits for its event.
    init?(_ entry: ClientOutboxEntry) {
        guard entry.isPending || entry.failure != nil else { return nil }
        switch entry.content {
        case .message(let draft): (kind, text) = (.message, draft.text)
        case .edit(_, let text): (kind, self.text) = (.edit, text)
        case .deletion: (kind, text) = (.deletion, "")
        case .reaction(_, let emoji, _): (kind, text) = (.reaction, emoji)
        }
        messageID = entry.target?.localID ?? entry.id
        failure = entry.failure?.error
    }
}
