/// A message in the terminal.
///
/// Names and texts are unchanged from the server. The code that prints them passes them through ``SafeText``.
package struct ShownMessage: Hashable, Sendable, Identifiable {
    /// The identity of the message, which stays the same during delivery.
    package var id: String
    package var thread: String
    /// The position in the log; `nil` until the message is accepted.
    package var seq: Int?
    package var clientID: String?
    package var senderID: String
    package var sender: String
    /// The sender's display name; `nil` if it equals the username.
    package var senderDisplayName: String?
    /// Whether the user is the sender.
    package var isOwn: Bool
    package var text: String
    package var parts: [ShownPart]
    /// The `seq` of the message that this message replies to.
    package var replyTo: Int?
    /// The date in milliseconds since 1970.
    package var milliseconds: Int64
    package var time: LocalTime
    package var isEdited: Bool
    /// Whether the sender or a moderator has deleted the message, or the sender's account was erased.
    package var isDeleted: Bool
    package var reactions: [ShownReaction]
    package var state: DeliveryState
    package var change: UnconfirmedChange?
    /// Whether the user blocks the sender, so that the content is folded.
    package var isFolded = false

    package init(
        id: String, thread: String = "", seq: Int? = nil, clientID: String? = nil, senderID: String = "",
        sender: String, senderDisplayName: String? = nil, isOwn: Bool = false, text: String,
        parts: [ShownPart] = [], replyTo: Int? = nil,
        milliseconds: Int64 = 0, time: LocalTime = LocalTime(), isEdited: Bool = false, isDeleted: Bool = false,
        reactions: [ShownReaction] = [], state: DeliveryState = .stored, change: UnconfirmedChange? = nil
    ) {
        self.id = id
        self.thread = thread
        self.seq = seq
        self.clientID = clientID
        self.senderID = senderID
        self.sender = sender
        self.senderDisplayName = senderDisplayName
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

    /// The content of a message of a user that the user blocks.
    static let folded = "(from a user that you block)"

    /// The sender's name as it is shown. It is not safe to print.
    package var senderLabel: String { senderDisplayName ?? sender }

    /// Whether the server has refused the message or a change of it.
    package var hasFailed: Bool {
        if case .failed = state { return true }
        if case .failed = change { return true }
        return false
    }

    /// The text with a label for each part, or a notice if the message is deleted. It is not safe to print.
    package var content: String {
        if isDeleted { return "message deleted" }
        if isFolded { return Self.folded }
        return ([text] + parts.map(\.label)).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// The delivery state of a message.
package enum DeliveryState: Hashable, Sendable {
    case pending
    case accepted
    case stored
    case failed(reason: String, retryable: Bool)

    /// The name in JSON lines.
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

/// The reactions with an emoji.
package struct ShownReaction: Hashable, Sendable {
    package let emoji: String
    package let count: Int
    /// Whether the user has reacted with the emoji.
    package let isOwn: Bool

    package init(emoji: String, count: Int, isOwn: Bool = false) {
        self.emoji = emoji
        self.count = count
        self.isOwn = isOwn
    }
}
