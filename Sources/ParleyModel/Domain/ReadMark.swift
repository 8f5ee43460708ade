/// A member has read a thread.
package struct ReadMark: Hashable, Sendable {
    package let thread: ThreadID
    package let user: UserID
    /// Up to where, back too; `nil`: to the end of what is stored when the mark is.
    package let seq: Int64?
    /// When it was made, Unix milliseconds: one that comes later does not undo it. `nil`: what comes last counts.
    package let milliseconds: Int64?

    package init(thread: ThreadID, user: UserID, seq: Int64? = nil, milliseconds: Int64? = nil) {
        self.milliseconds = milliseconds
        self.thread = thread
        self.user = user
        self.seq = seq
    }

    /// A mark on its way to the store. One to the end never goes back, so it needs no time.
    package init(thread: ThreadID, user: UserID, seq: Int64?, madeAt milliseconds: Int64) {
        self.init(thread: thread, user: user, seq: seq, milliseconds: seq.map { _ in milliseconds })
    }
}
