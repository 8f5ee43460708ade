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
