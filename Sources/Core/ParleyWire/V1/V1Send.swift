package import ParleyModel

/// A `message` command.
package struct V1Send: Hashable, Sendable {
    /// When the client is sent an ack.
    package enum Level: String, CaseIterable, Hashable, Sendable {
        /// When the log has accepted the message.
        case accepted
        /// When the log has accepted it, and again when it is stored.
        case stored
    }

    package var thread: ThreadID
    /// Unchecked.
    package var text: String
    package var clientID: String?
    package var parts: [MessagePart]
    package var replyTo: Int64?
    package var level: Level

    package init(
        thread: ThreadID, text: String, clientID: String? = nil, parts: [MessagePart] = [], replyTo: Int64? = nil,
        level: Level = .accepted
    ) {
        self.thread = thread
        self.text = text
        self.clientID = clientID
        self.parts = parts
        self.replyTo = replyTo
        self.level = level
    }
}
