/// The request of another program's event if its type is adopted: a place in the thread's log; see decision 041.
package enum AdoptionRequest: Hashable, Sendable {
    case send(ForeignSend)
    /// The event can never become a message of the log.
    case refused(AdoptionFailure)
}

/// A message that another program wants in a thread's log, as a node has heard it. Every node that hears it has the same
/// value.
package struct ForeignSend: Hashable, Sendable {
    /// The event's name for its sender.
    package enum Sender: Hashable, Sendable {
        case id(UserID)
        case name(String)
    }

    package var sender: Sender
    package var text: String
    package var parts: [MessagePart]
    package var replyTo: Int64?
    /// The id that the program has given to the send.
    package var clientID: String?
    /// SHA-256 of the event.
    package var digest: [UInt8]
    /// When it was sent, in Unix microseconds by the clock of its program; `nil` if the layer does not say.
    package var sentMicroseconds: Int64?
    /// Django's consumers have the event as a message already, so they must not get it from the log.
    package var isKnownToDjango: Bool

    package init(
        sender: Sender, text: String, parts: [MessagePart] = [], replyTo: Int64? = nil, clientID: String? = nil,
        digest: [UInt8], sentMicroseconds: Int64? = nil, isKnownToDjango: Bool = true
    ) {
        self.sender = sender
        self.text = text
        self.parts = parts
        self.replyTo = replyTo
        self.clientID = clientID
        self.digest = digest
        self.sentMicroseconds = sentMicroseconds
        self.isKnownToDjango = isKnownToDjango
    }
}

/// The reason that an event was not taken into the log. It is then delivered as if its type were not adopted.
package enum AdoptionFailure: String, Hashable, Sendable, CaseIterable, Error {
    /// The sender is missing, or is not a user.
    case unknownSender = "unknown_sender"
    case notAMember = "not_a_member"
    /// The sender may not write in the thread.
    case forbidden
    /// It is no message, or one beyond the limits.
    case invalid
    /// The `client_id` was used for another message.
    case conflict
    /// It is a message of the log that was forwarded.
    case logged
    /// It has neither a time nor a `client_id`, and equals another event of the last seconds.
    case equal
    /// Too many are waiting.
    case overflow
    /// Redis or the database did not answer in time.
    case unavailable
}

/// The `client_id` of adopted events that have none of their own.
package protocol AdoptedNames: Sendable {
    /// The same for every node that hears the event, and another one for an equal event that was sent at another time,
    /// or first heard earlier than this port remembers. Repeating a call is safe.
    /// - Parameter milliseconds: how long it remembers an event that does not say when it was sent.
    func clientID(
        of send: ForeignSend, in thread: ThreadID, rememberedFor milliseconds: Int64
    ) async throws(SharedStoreError) -> String
}
