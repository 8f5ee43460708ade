/// A thread as a member sees it, with the data that a client needs to continue.
package struct ThreadSummary: Hashable, Sendable {
    /// The membership. The title of its thread is what this user sees; for a direct thread, the name of the other user.
    package var membership: Membership
    /// The end of the stored log; `nil` for a thread without events.
    package var head: Position?
    /// The read cursor, which may be ahead of the stored log.
    package var readSeq: Int64
    /// The number of undeleted messages after the read cursor.
    package var unreadCount: Int64
    package var lastMessage: LogEvent?
    /// The date of the last message, or of joining if there is none, in Unix milliseconds.
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

    /// Returns the thread without a mute that has ended.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func withoutEndedMute(at now: Int64) -> ThreadSummary {
        guard membership.mute != membership.mute(at: now) else { return self }
        var summary = self
        summary.membership = Membership(
            thread: membership.thread, role: membership.role, peer: membership.peer, start: membership.start,
            options: membership.options, isBlocked: membership.isBlocked)
        return summary
    }

    /// The position of this thread in the list.
    package var place: ThreadPlace { ThreadPlace(activity: activity, thread: membership.thread.id) }
}

/// A position in a user's list of threads, which is ordered by newest activity, then by id.
package struct ThreadPlace: Hashable, Sendable {
    /// The date of the last activity in Unix milliseconds.
    package var activity: Int64
    package var thread: ThreadID

    package init(activity: Int64, thread: ThreadID) {
        self.activity = activity
        self.thread = thread
    }
}
