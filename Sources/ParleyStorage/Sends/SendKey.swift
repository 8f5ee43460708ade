package import ParleyModel

/// What names a send for ever.
package struct SendKey: Hashable, Sendable {
    package let sender: UserID
    /// Compared by its bytes.
    package let clientID: String

    package init(sender: UserID, clientID: String) {
        self.sender = sender
        self.clientID = clientID
    }

    package static func == (one: SendKey, other: SendKey) -> Bool {
        one.sender == other.sender && one.clientID.utf8.elementsEqual(other.clientID.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sender)
        for byte in clientID.utf8 { hasher.combine(byte) }
    }
}

extension Message {
    /// `nil` for a message without a `client_id`.
    package var sendKey: SendKey? { clientID.map { SendKey(sender: sender.id, clientID: $0) } }
}

extension SendQuery {
    /// What a store answers.
    /// - Parameter found: what it has under the names of the queries, the first use of each first.
    package func reply(from found: [SendKey: [StoredUse]], _ key: ContentKey?) -> StoredSend? {
        guard let name = message.sendKey, let first = found[name]?.first, first.isThreadThere else { return nil }
        return StoredSend(receipt: first.receipt, isSame: first.isSame(as: message, in: thread, key))
    }
}
