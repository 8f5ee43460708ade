/// A message, as far as it matters for who may change it.
package struct MessagePlace: Hashable, Sendable {
    package var seq: Int64
    package var sender: UserID
    /// Its text is gone, because it was deleted or its author erased: nothing is left to change.
    package var isGone: Bool

    package init(seq: Int64, sender: UserID, isGone: Bool = false) {
        self.seq = seq
        self.sender = sender
        self.isGone = isGone
    }
}

/// Which message of which thread.
package struct MessageKey: Hashable, Sendable {
    package let thread: ThreadID
    package let message: MessageID

    /// The most keys of one question.
    package static let maximumCount = 1000

    package init(thread: ThreadID, message: MessageID) {
        self.thread = thread
        self.message = message
    }
}
