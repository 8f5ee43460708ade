/// An event that is ready to be appended to a thread's log, and has no position yet.
package struct EventDraft: Hashable, Sendable {
    package var thread: ThreadID
    package var body: LogEvent.Body
    /// The connection that sent it; see `LogEvent.origin`.
    package var origin: ConnectionID?
    /// Whether an earlier append of the same message id may have succeeded, its result being unknown. The log then searches its
    /// newest events first. Messages without a `clientID` need this, since a remote log may lose its connection in the middle
    /// of an append.
    package var mayBeThere = false
    /// Whether the members' nodes are notified by `EphemeralEvent.stored` when the event is stored.
    package var wantsStored: Bool
    /// The outbox entry that the event comes from. An entry is appended only once; a repeated append returns the first receipt.
    package var outboxID: Int64?
    /// Whether Django's consumers already have the message, so that only nodes and clients receive it.
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
