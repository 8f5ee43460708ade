/// The removal of a message's text and parts; its position in the log remains.
package struct MessageDeletion: Hashable, Sendable {
    package let messageID: MessageID
    /// The message's seq in the log.
    package let messageSeq: Int64
    package let by: UserID

    package init(messageID: MessageID, messageSeq: Int64, by: UserID) {
        self.messageID = messageID
        self.messageSeq = messageSeq
        self.by = by
    }
}
