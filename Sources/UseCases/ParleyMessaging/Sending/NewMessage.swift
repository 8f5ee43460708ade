package import ParleyModel

/// A message before it is sent.
package struct NewMessage: Hashable, Sendable {
    package var text: String
    /// Well-formed, see `MessagePart.parts(_:)`.
    package var parts: [MessagePart]
    package var replyTo: Int64?
    /// Makes repeats idempotent.
    package var clientID: String?
    /// The id that it has already: of an earlier attempt, or the one under which the uses of its attachments were
    /// recorded. A new one is made if `nil`.
    package var id: MessageID?
    /// The uses of its attachments were recorded (`Messaging.attach`), and are forgotten if it is not appended.
    package var hasAttached = false
    /// See `EventDraft.mayBeThere`.
    package var mayBeThere = false
    /// See `EventDraft.wantsStored`.
    package var wantsStored = false
    /// See `EventDraft.isKnownToDjango`.
    package var isKnownToDjango = false
    /// Traced regardless of sampling.
    package var isTraced = false
    /// The sender's node does not know the direct thread as theirs yet: once the message is in the log, the nodes of both
    /// users are notified that they are members.
    package var opensThread = false

    package init(
        _ text: String, parts: [MessagePart] = [], replyTo: Int64? = nil, clientID: String? = nil, id: MessageID? = nil
    ) {
        self.text = text
        self.parts = parts
        self.replyTo = replyTo
        self.clientID = clientID
        self.id = id
    }
}

/// A message that has passed every check, to be appended once.
package struct PreparedSend: Sendable {
    let draft: EventDraft
    let message: Message
    let hasAttached: Bool
    /// The sender's membership, if the nodes must be notified of it.
    let opened: Membership?

    package var id: MessageID { message.id }
    package var parts: [MessagePart] { message.parts }
}
