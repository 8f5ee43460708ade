package import ParleyModel

/// A message to be appended to a log.
package struct OutgoingMessage: Hashable, Sendable {
    /// Its number in the order of the connection's sends.
    package let number: UInt64
    /// The sender's membership in the target thread.
    package let membership: Membership
    package let text: String
    /// The id of an earlier attempt, whose result is unknown: the message may have entered the log.
    package var id: MessageID?

    package init(number: UInt64, membership: Membership, text: String, id: MessageID? = nil) {
        self.number = number
        self.membership = membership
        self.text = text
        self.id = id
    }
}
