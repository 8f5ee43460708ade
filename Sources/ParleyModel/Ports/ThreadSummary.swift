/// A thread as its member sees it, with what a client needs to go on from there.
package struct ThreadSummary: Hashable, Sendable {
    /// The title is what this user sees: for a direct thread the other's name.
    package var membership: Membership
    /// The end of what is stored; `nil` for a thread without events.
    package var head: Position?
    /// The read cursor; may be ahead of what is stored.
    package var readSeq: Int64
    /// Messages after the read cursor that are not deleted.
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

    /// Where a list goes on after this thread.
    package var place: ThreadPlace { ThreadPlace(activity: activity, thread: membership.thread.id) }
}

/// A place in a user's list of threads: newest activity first, and in the order of ids among equals.
package struct ThreadPlace: Hashable, Sendable {
    /// Unix milliseconds.
    package var activity: Int64
    package var thread: ThreadID

    package init(activity: Int64, thread: ThreadID) {
        self.activity = activity
        self.thread = thread
    }
}
