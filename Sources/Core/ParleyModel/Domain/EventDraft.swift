/// An event to be appended to a thread's log, without a position yet.
package struct EventDraft: Hashable, Sendable {
    package var thread: ThreadID
    package var body: LogEvent.Body
    /// The connection that sends it; see `LogEvent.origin`.
    package var origin: ConnectionID?
    /// The same message may have been appended before under the same id, with the result unknown: the log searches its
    /// newest events first. Needed for messages without a `clientID`, since a remote log may lose its connection in the
    /// middle of an append.
    package var mayBeThere = false
    /// The members' nodes are notified by `EphemeralEvent.stored` when the event is stored.
    package var wantsStored: Bool
    /// The outbox entry that the event comes from. An event of one entry is appended once; a repeat gets the first
    /// receipt.
    package var outboxID: Int64?
    /// Django's consumers have the message already: only nodes and clients get it.
    package var isKnownToDjango: Bool

    package init(
        thread: ThreadID, body: LogEvent.Body, origin: ConnectionID? = nil, wantsStored: Bool = false,
        outboxID: Int64? = nil, isKnownToDjango: Bool = false
    ) {
        self.thread = thread
        self.body = body
        self.origin = origin
        self.wantsStored = wantsStored
        self.outboxID = outboxID
        self.isKnownToDjango = isKnownToDjango
    }

    /// The message, if the event is one.
    package var message: Message? { body.message }
}
