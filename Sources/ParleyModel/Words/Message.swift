/// What somebody said in a thread, before it has a place in the log.
package struct Message: Hashable, Sendable {
    package let id: MessageID
    /// The author. Guests of the line door are authors too, though they have no account.
    package let sender: User
    /// 1 to `Limits.textScalars` Unicode scalars, no NUL.
    package let text: String
    /// The sender's own name for this send, unique for the sender; makes a repeated send one message.
    package let clientID: String?
    /// In a direct thread, the other of the two. The store makes the thread from it with the first message.
    package let recipient: User?

    package init(id: MessageID, sender: User, text: String, clientID: String? = nil, recipient: User? = nil) {
        self.id = id
        self.sender = sender
        self.text = text
        self.clientID = clientID
        self.recipient = recipient
    }
}
