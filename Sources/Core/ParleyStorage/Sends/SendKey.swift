package import ParleyModel

/// The permanent identity of a send: the sender and its `client_id`.
package struct SendKey: Hashable, Sendable {
    package let sender: UserID
    /// Compared by bytes.
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
    /// The identity of the send; `nil` for a message without a `client_id`.
    package var sendKey: SendKey? { clientID.map { SendKey(sender: sender.id, clientID: $0) } }
}

extension SendQuery {
    /// The stored send that matches this query.
    /// - Parameter found: the stored uses of each name, the first use first.
    package func reply(from found: [SendKey: [StoredUse]], _ key: ContentKey?) -> StoredSend? {
        guard let name = message.sendKey, let first = found[name]?.first, first.threadExists else { return nil }
        return StoredSend(receipt: first.receipt, isSame: first.isSame(as: message, in: thread, key))
    }
}
