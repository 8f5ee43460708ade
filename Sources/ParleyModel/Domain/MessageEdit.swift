/// A message has another text from now on.
package struct MessageEdit: Hashable, Sendable {
    package let messageID: MessageID
    /// Where the message stands in the log.
    package let messageSeq: Int64
    /// As `Message.text`; empty when it is read back and the message has been deleted or erased.
    package let text: String
    package let by: UserID

    package init(messageID: MessageID, messageSeq: Int64, text: String, by: UserID) {
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.text = text
        self.by = by
    }
}
