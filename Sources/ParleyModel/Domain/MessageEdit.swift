/// The replacement of a message's text.
package struct MessageEdit: Hashable, Sendable {
    package let messageID: MessageID
    /// The message's seq in the log.
    package let messageSeq: Int64
    /// As `Message.text`; empty when read back after the message was deleted or erased.
    package let text: String
    package let by: UserID

    package init(messageID: MessageID, messageSeq: Int64, text: String, by: UserID) {
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.text = text
        self.by = by
    }
}
