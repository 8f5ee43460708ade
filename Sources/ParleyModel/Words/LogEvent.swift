/// One entry of a thread's log: totally ordered, durable, the same for every member.
package struct LogEvent: Hashable, Sendable {
    package enum Body: Hashable, Sendable {
        case message(Message)
        /// A user became a member.
        case joined(User)
    }

    package var thread: ThreadID
    package var position: Position
    /// Unix time; never falls as `seq` rises.
    package var milliseconds: Int64
    /// How many messages the thread has, up to and including this event.
    package var messageCount: Int64
    package var body: Body
    /// The socket that the event came in by, while it travels; not stored.
    package var origin: ConnectionID?

    package init(
        thread: ThreadID, position: Position, milliseconds: Int64, messageCount: Int64, body: Body,
        origin: ConnectionID? = nil
    ) {
        self.thread = thread
        self.position = position
        self.milliseconds = milliseconds
        self.messageCount = messageCount
        self.body = body
        self.origin = origin
    }

    /// The message, if the event is one.
    package var message: Message? {
        if case .message(let message) = body { message } else { nil }
    }
}
