/// A request to adopt an event of another program, which gives it a position in the thread's log; see decision 041.
package enum AdoptionRequest: Hashable, Sendable {
    case send(ForeignSend)
    /// The event can never become a message of the log.
    case refused(AdoptionFailure)
}

/// A message that another program wants to add to a thread's log, as received by a node. Every node that receives it has the same value.
package struct ForeignSend: Hashable, Sendable {
    /// The identification of the sender in the event.
    package enum Sender: Hashable, Sendable {
        case id(UserID)
        case name(String)
    }

    package var sender: Sender
    package var text: String
    package var parts: [MessagePart]
    package var replyTo: Int64?
    /// The id that the program gave to the send.
    package var clientID: String?
    /// The SHA-256 digest of the event.
    package var digest: [UInt8]
    /// The time of sending in Unix microseconds, by the clock of the program; `nil` if the channel layer does not tell it.
    package var sentMicroseconds: Int64?
    /// Whether Django's consumers already have the event as a message, so that they must not receive it from the log.
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

/// The reason that an event was not added to the log. It is then delivered as if its type were not adopted.
package enum AdoptionFailure: String, Hashable, Sendable, CaseIterable, Error {
    /// The sender is missing, or is not a user.
    case unknownSender = "unknown_sender"
    case notAMember = "not_a_member"
    /// The sender may not write in the thread.
    case forbidden
    /// The event is not a message, or exceeds the limits.
    case invalid
    /// The `client_id` was used for another message.
    case conflict
    /// The event is a forwarded message of the log.
    case logged
    /// The event has neither a time nor a `client_id`, and equals another event of the last few seconds.
    case equal
    /// Too many events are waiting.
    case overflow
    /// Redis or the database did not answer in time.
    case unavailable
}

/// Assigns a `client_id` to adopted events without one.
package protocol AdoptedNames: Sendable {
    /// Returns the same `client_id` on every node that receives the event. An equal event gets another one if it was sent at
    /// another time, or was first received before the period that this port remembers. A repeated call is safe.
    /// - Parameter milliseconds: The period for which an event without a sending time is remembered.
    func clientID(
        of send: ForeignSend, in thread: ThreadID, rememberedFor milliseconds: Int64
    ) async throws(SharedStoreError) -> String
}
