/// A message that a member has sent, as slow mode remembers it.
package struct SentMark: Hashable, Sendable {
    package let sender: UserID
    package let id: MessageID
    package let clientID: String?
    /// The date of the message in Unix milliseconds.
    package let milliseconds: Int64

    package init(_ message: Message, at milliseconds: Int64) {
        sender = message.sender.id
        id = message.id
        clientID = message.clientID
        self.milliseconds = milliseconds
    }
}
