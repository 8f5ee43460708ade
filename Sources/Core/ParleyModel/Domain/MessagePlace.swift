/// The facts about a message that decide who may change it.
package struct MessagePlace: Hashable, Sendable {
    package var seq: Int64
    package var sender: UserID
    /// Whether the text is gone because the message was deleted or its author erased, so that nothing is left to change.
    package var isGone: Bool

    package init(seq: Int64, sender: UserID, isGone: Bool = false) {
        self.seq = seq
        self.sender = sender
        self.isGone = isGone
    }
}

/// A message id together with its thread.
package struct MessageKey: Hashable, Sendable {
    package let thread: ThreadID
    package let message: MessageID

    /// The maximum number of keys in one query.
    package static let maximumCount = 1000

    package init(thread: ThreadID, message: MessageID) {
        self.thread = thread
        self.message = message
    }
}
