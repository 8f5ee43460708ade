/// How far a member has read in a thread.
package struct ReadState: Hashable, Sendable {
    package var thread: ThreadID
    /// The read cursor; may be ahead of what is stored.
    package var readSeq: Int64
    /// Messages after the read cursor that are not deleted.
    package var unreadCount: Int64

    package init(thread: ThreadID, readSeq: Int64, unreadCount: Int64) {
        self.thread = thread
        self.readSeq = readSeq
        self.unreadCount = unreadCount
    }
}
