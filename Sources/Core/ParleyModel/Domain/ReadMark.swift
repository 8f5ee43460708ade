/// A request to move a member's read cursor.
package struct ReadMark: Hashable, Sendable {
    package let thread: ThreadID
    package let user: UserID
    /// The new cursor, which may be lower than the current one; `nil` for the end of the stored log when the mark is written.
    package let seq: Int64?
    /// The time at which the mark was made, in Unix milliseconds. An older mark that arrives late does not undo a newer one.
    /// `nil` lets the last mark to arrive win.
    package let milliseconds: Int64?

    package init(thread: ThreadID, user: UserID, seq: Int64? = nil, milliseconds: Int64? = nil) {
        self.milliseconds = milliseconds
        self.thread = thread
        self.user = user
        self.seq = seq
    }

    /// Makes a mark for the store. A mark to the end never moves the cursor back, so it needs no time.
    package init(thread: ThreadID, user: UserID, seq: Int64?, madeAt milliseconds: Int64) {
        self.init(thread: thread, user: user, seq: seq, milliseconds: seq.map { _ in milliseconds })
    }
}
