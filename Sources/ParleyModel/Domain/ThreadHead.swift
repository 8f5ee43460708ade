/// The end of a thread's log.
package struct ThreadHead: Hashable, Sendable {
    package var position: Position
    /// The date of the newest event, Unix milliseconds.
    package var milliseconds: Int64
    /// The number of messages in the log.
    package var messageCount: Int64

    package init(position: Position, milliseconds: Int64, messageCount: Int64) {
        self.position = position
        self.milliseconds = milliseconds
        self.messageCount = messageCount
    }
}
