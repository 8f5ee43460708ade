/// How far a member has read in a thread.
package struct ReadState: Hashable, Sendable {
    package var thread: ThreadID
    /// The read cursor; may be ahead of what is stored.
    package var readSeq: Int64
    /// Undeleted messages after the read cursor.
    package var unreadCount: Int64

    package init(thread: ThreadID, readSeq: Int64, unreadCount: Int64) {
        self.thread = thread
        self.readSeq = readSeq
        self.unreadCount = unreadCount
    }
}
