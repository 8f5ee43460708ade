package import ParleyModel

/// The answer to `history`: consecutive events of a thread's log.
package struct V1Page: Hashable, Sendable {
    package var ref: Int64?
    package var thread: ThreadID
    /// The end of the log; `nil` for a thread without events.
    package var head: Position?
    /// In rising order of seq.
    package var events: [LogEvent]
    /// Events lie below the page; below the place that was asked for if the page is empty.
    package var hasMoreBefore: Bool
    /// Events lie above the page.
    package var hasMoreAfter: Bool

    package init(
        ref: Int64?, thread: ThreadID, head: Position?, events: [LogEvent], hasMoreBefore: Bool, hasMoreAfter: Bool
    ) {
        self.ref = ref
        self.thread = thread
        self.head = head
        self.events = events
        self.hasMoreBefore = hasMoreBefore
        self.hasMoreAfter = hasMoreAfter
    }
}
