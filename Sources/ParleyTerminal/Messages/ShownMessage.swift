/// A message as the terminal shows it.
///
/// Names and texts are as received; what prints them passes them through ``SafeText``.
package struct ShownMessage: Hashable, Sendable, Identifiable {
    /// Does not change while the message is accepted and stored.
    package var id: String
    package var thread: String
    /// Its place in the log; `nil` until it is accepted.
    package var seq: Int?
    package var clientID: String?
    package var senderID: String
    package var sender: String
    /// Whether the user has sent it.
    package var isOwn: Bool
    package var text: String
    package var parts: [ShownPart]
    /// The `seq` of the message it answers.
    package var replyTo: Int?
    /// Since 1970.
    package var milliseconds: Int64
    package var time: LocalTime
    package var isEdited: Bool
    /// Whether its author or a moderator has deleted it, or its author's account was erased.
    package var isDeleted: Bool
    package var reactions: [ShownReaction]
    package var state: DeliveryState
    package var change: UnconfirmedChange?

    package init(
        id: String, thread: String = "", seq: Int? = nil, clientID: String? = nil, senderID: String = "",
        sender: String, isOwn: Bool = false, text: String, parts: [ShownPart] = [], replyTo: Int? = nil,
        milliseconds: Int64 = 0, time: LocalTime = LocalTime(), isEdited: Bool = false, isDeleted: Bool = false,
        reactions: [ShownReaction] = [], state: DeliveryState = .stored, change: UnconfirmedChange? = nil
    ) {
        self.id = id
        self.thread = thread
        self.seq = seq
        self.clientID = clientID
        self.senderID = senderID
        self.sender = sender
        self.isOwn = isOwn
        self.text = text
        self.parts = parts
        self.replyTo = replyTo
        self.milliseconds = milliseconds
        self.time = time
        self.isEdited = isEdited
        self.isDeleted = isDeleted
        self.reactions = reactions
        self.state = state
        self.change = change
    }

    /// Whether the server has refused it or a change of it.
    package var hasFailed: Bool {
        if case .failed = state { return true }
        if case .failed = change { return true }
        return false
    }

    /// The text with a label for each part, or a notice if it is deleted; not safe to print.
    package var content: String {
        if isDeleted { return "message deleted" }
        return ([text] + parts.map(\.label)).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// How far a message has come on its way to the server's database.
package enum DeliveryState: Hashable, Sendable {
    case pending
    case accepted
    case stored
    case failed(reason: String, retryable: Bool)

    /// As it is written in JSON lines.
    package var name: String {
        switch self {
        case .pending: "pending"
        case .accepted: "accepted"
        case .stored: "stored"
        case .failed: "failed"
        }
    }
}

/// A change of a message that the server has not confirmed.
package enum UnconfirmedChange: Hashable, Sendable {
    case edit
    case deletion
    case failed(reason: String)
}

/// How many users react with an emoji.
package struct ShownReaction: Hashable, Sendable {
    package let emoji: String
    package let count: Int
    /// Whether the user is among them.
    package let isOwn: Bool

    package init(emoji: String, count: Int, isOwn: Bool = false) {
        self.emoji = emoji
        self.count = count
        self.isOwn = isOwn
    }
}
