/// A member has read a thread.
package struct ReadMark: Hashable, Sendable {
    package let thread: ThreadID
    package let user: UserID
    /// Up to where, back too; `nil`: to the end of what is stored when the mark is.
    package let seq: Int64?

    package init(thread: ThreadID, user: UserID, seq: Int64? = nil) {
        self.thread = thread
        self.user = user
        self.seq = seq
    }
}
