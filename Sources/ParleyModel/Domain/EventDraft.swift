/// An event that asks for its place in a thread's log.
package struct EventDraft: Hashable, Sendable {
    package var thread: ThreadID
    package var body: LogEvent.Body
    /// The socket that asks; see `LogEvent.origin`.
    package var origin: ConnectionID?
    /// The same message, under the same id, was appended before, and nobody was told what became of it: the log is to
    /// look among its newest events first. This is for messages without a `clientID`, as a log that keeps a connection
    /// to elsewhere may lose it in the middle.
    package var mayBeThere = false
    /// The members' nodes are to be told by `EphemeralEvent.stored` when the event is in the store.
    package var wantsStored: Bool
    /// The outbox entry that the event comes from; an event of the same entry is appended once, and a repeat gets the
    /// first receipt.
    package var outboxID: Int64?

    package init(
        thread: ThreadID, body: LogEvent.Body, origin: ConnectionID? = nil, wantsStored: Bool = false,
        outboxID: Int64? = nil
    ) {
        self.thread = thread
        self.body = body
        self.origin = origin
        self.wantsStored = wantsStored
        self.outboxID = outboxID
    }

    /// The message, if the event is one.
    package var message: Message? { body.message }
}
