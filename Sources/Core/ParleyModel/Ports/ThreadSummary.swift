/// A thread as its member sees it, with what a client needs to continue from.
package struct ThreadSummary: Hashable, Sendable {
    /// The title is what this user sees; for a direct thread, the other's name.
    package var membership: Membership
    /// The end of what is stored; `nil` for a thread without events.
    package var head: Position?
    /// The read cursor; may be ahead of what is stored.
    package var readSeq: Int64
    /// Undeleted messages after the read cursor.
    package var unreadCount: Int64
    package var lastMessage: LogEvent?
    /// The date of the last message, else of joining; Unix milliseconds.
    package var activity: Int64

    package init(
        membership: Membership, head: Position?, readSeq: Int64, unreadCount: Int64, lastMessage: LogEvent?,
        activity: Int64
    ) {
        self.membership = membership
        self.head = head
        self.readSeq = readSeq
        self.unreadCount = unreadCount
        self.lastMessage = lastMessage
        self.activity = activity
    }

    /// The position of this thread in the list.
    package var place: ThreadPlace { ThreadPlace(activity: activity, thread: membership.thread.id) }
}

/// A position in a user's list of threads, which is ordered by newest activity, then by id.
package struct ThreadPlace: Hashable, Sendable {
    /// Unix milliseconds.
    package var activity: Int64
    package var thread: ThreadID

    package init(activity: Int64, thread: ThreadID) {
        self.activity = activity
        self.thread = thread
    }
}
