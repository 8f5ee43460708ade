package import ParleyModel

/// The reply to `history`: consecutive events of a thread's log.
package struct V1Page: Hashable, Sendable {
    package var ref: Int64?
    package var thread: ThreadID
    /// The end of the log; `nil` for a thread without events.
    package var head: Position?
    /// In ascending order of seq.
    package var events: [LogEvent]
    /// Events exist below the page, or below the requested place if the page is empty.
    package var hasMoreBefore: Bool
    /// Events exist above the page.
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
