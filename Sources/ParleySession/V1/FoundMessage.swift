package import ParleyModel

/// What must be known of a message before somebody may change it.
package struct FoundMessage: Hashable, Sendable {
    package var seq: Int64
    package var sender: UserID
    /// Its text is gone, because it was deleted or its author erased.
    package var isGone: Bool

    package init(seq: Int64, sender: UserID, isGone: Bool = false) {
        self.seq = seq
        self.sender = sender
        self.isGone = isGone
    }
}
