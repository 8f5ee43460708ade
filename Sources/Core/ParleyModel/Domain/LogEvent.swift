/// One entry of a thread's log. The log is durable, totally ordered, and the same for every member.
package struct LogEvent: Hashable, Sendable {
    /// The content of an event, without its position.
    package enum Body: Hashable, Sendable {
        case message(Message)
        case edited(MessageEdit)
        case deleted(MessageDeletion)
        case reaction(Reaction)
        /// A user became a member.
        /// - Parameter by: The user who added the member; `nil` for users who joined by themselves.
        case joined(User, by: UserID? = nil)
        /// A user is no longer a member.
        /// - Parameter by: The user who ended the membership, possibly the member.
        case left(User, by: UserID)
        case renamed(title: String, by: UserID)
        /// A member's role changed.
        case role(UserID, Membership.Role, by: UserID)
        /// The visibility of a room changed.
        /// - Parameter by: The owner or an operator; `LogEvent.operatorID` for an operator without a user.
        case visibility(RoomVisibility, by: UserID)
    }

    /// The author of a change by an operator without a user: an API key or the command line.
    package static let operatorID = UserID(trusted: "parley.operator")

    package var thread: ThreadID
    package var position: Position
    /// The Unix time. It never decreases as `seq` rises.
    package var milliseconds: Int64
    /// The number of messages in the thread up to and including this event. Deleted messages count.
    package var messageCount: Int64
    package var body: Body
    /// The connection that sent the event. Transient, not stored.
    package var origin: ConnectionID?
    /// See `EventDraft.wantsStored`. Transient, not stored.
    package var wantsStored: Bool
    /// See `EventDraft.outboxID`. Transient, not stored.
    package var outboxID: Int64?
    /// See `EventDraft.isKnownToDjango`. Transient, not stored.
    package var isKnownToDjango: Bool

    package init(
        thread: ThreadID, position: Position, milliseconds: Int64, messageCount: Int64, body: Body,
        origin: ConnectionID? = nil, wantsStored: Bool = false, outboxID: Int64? = nil,
        isKnownToDjango: Bool = false
    ) {
        self.thread = thread
        self.position = position
        self.milliseconds = milliseconds
        self.messageCount = messageCount
        self.body = body
        self.origin = origin
        self.wantsStored = wantsStored
        self.outboxID = outboxID
        self.isKnownToDjango = isKnownToDjango
    }

    /// The message, if the event is one.
    package var message: Message? { body.message }

    /// Returns the event with its reactions replaced if it is a message, and unchanged otherwise.
    package func with(reactions: [ReactionCount]) -> LogEvent {
        guard case .message(var message) = body else { return self }
        message.status.reactions = reactions
        var event = self
        event.body = .message(message)
        return event
    }
}

extension LogEvent.Body {
    /// The message, if it is one.
    package var message: Message? {
        if case .message(let message) = self { message } else { nil }
    }
}
