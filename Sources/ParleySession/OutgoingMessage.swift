package import ParleyModel

/// A message on its way to the log.
package struct OutgoingMessage: Hashable, Sendable {
    /// Its place among the sends of its connection.
    package let number: UInt64
    /// The sender's place in the thread it goes to.
    package let membership: Membership
    package let text: String
    /// What the message was called when it was tried before: it may have entered the log without anybody being told.
    package var id: MessageID?

    package init(number: UInt64, membership: Membership, text: String, id: MessageID? = nil) {
        self.number = number
        self.membership = membership
        self.text = text
        self.id = id
    }
}
