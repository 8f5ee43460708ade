package import ParleyModel

/// A message before it is sent.
package struct NewMessage: Hashable, Sendable {
    package var text: String
    /// The parts, which are well-formed; see `MessagePart.parts(_:)`.
    package var parts: [MessagePart]
    package var replyTo: Int64?
    /// The sender's id for this send, which makes repeats idempotent.
    package var clientID: String?
    /// The id that the message already has, from an earlier attempt or from recording the uses of its attachments. If `nil`, an id is made.
    package var id: MessageID?
    /// Whether the uses of the attachments were recorded (`Messaging.attach`). They are forgotten if the message is not appended.
    package var hasAttached = false
    /// See `EventDraft.mayBeThere`.
    package var mayBeThere = false
    /// See `EventDraft.wantsStored`.
    package var wantsStored = false
    /// See `EventDraft.isKnownToDjango`.
    package var isKnownToDjango = false
    /// Whether the message is traced in any case, regardless of sampling.
    package var isTraced = false
    /// Whether the sender's node does not know yet that the direct thread is theirs. Once the message is in the log, the nodes
    /// of both users are notified that they are members.
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

/// A message that has passed every check and is ready to be appended once.
package struct PreparedSend: Sendable {
    let draft: EventDraft
    let message: Message
    let hasAttached: Bool
    /// The sender's membership, if the nodes must be notified of it.
    let opened: Membership?

    package var id: MessageID { message.id }
    package var parts: [MessagePart] { message.parts }
}
