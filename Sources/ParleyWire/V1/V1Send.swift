package import ParleyModel

/// A message that a client sends.
package struct V1Send: Hashable, Sendable {
    /// When the client wants to be told.
    package enum Level: String, CaseIterable, Hashable, Sendable {
        /// When the log has the message.
        case accepted
        /// Then, and once more when the store has it.
        case stored
    }

    package var thread: ThreadID
    /// Not checked.
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
