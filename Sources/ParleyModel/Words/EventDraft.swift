/// An event that asks for its place in a thread's log.
package struct EventDraft: Hashable, Sendable {
    package var thread: ThreadID
    package var body: LogEvent.Body
    /// The socket that asks; see `LogEvent.origin`.
    package var origin: ConnectionID?

    package init(thread: ThreadID, body: LogEvent.Body, origin: ConnectionID? = nil) {
        self.thread = thread
        self.body = body
        self.origin = origin
    }
}
