/// The position of an accepted event in its thread's log.
package struct Receipt: Hashable, Sendable {
    package var thread: ThreadID
    package var position: Position
    package var milliseconds: Int64
    /// The id of the message, if the event is one.
    package var messageID: MessageID?
    /// Whether the same `clientID` was accepted before. The receipt is then the first append's.
    package var isRepeat: Bool

    package init(
        thread: ThreadID, position: Position, milliseconds: Int64, messageID: MessageID?, isRepeat: Bool = false
    ) {
        self.thread = thread
        self.position = position
        self.milliseconds = milliseconds
        self.messageID = messageID
        self.isRepeat = isRepeat
    }
}

/// A receipt whose event is stored.
package struct StoredReceipt: Hashable, Sendable {
    /// The receipt that the sender got.
    package let receipt: Receipt
    /// The position at which the event is stored. It differs from the receipt's position if an older Redis brought the event
    /// back after its epoch had ended, so that it was stored at the end of the thread.
    package let position: Position

    package init(_ receipt: Receipt, at position: Position) {
        self.receipt = receipt
        self.position = position
    }
}
