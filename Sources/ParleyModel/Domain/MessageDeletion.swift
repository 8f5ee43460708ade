/// A message has lost its text and parts; its place in the log stays.
package struct MessageDeletion: Hashable, Sendable {
    package let messageID: MessageID
    /// Where the message stands in the log.
    package let messageSeq: Int64
    package let by: UserID

    package init(messageID: MessageID, messageSeq: Int64, by: UserID) {
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.by = by
    }
}
