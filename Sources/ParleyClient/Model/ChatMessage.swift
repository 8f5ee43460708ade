public import Foundation

/// A message in its current state.
public struct ChatMessage: Hashable, Sendable, Identifiable {
    /// Names the message in this client for ever: the `client_id` of the user's own messages, the server's id of others.
    /// It does not change when a pending message is accepted.
    public internal(set) var id: String
    /// The thread it is in.
    public internal(set) var threadID: String
    /// Its place in the thread's log; `nil` until it is accepted.
    public internal(set) var seq: Int?
    /// The server's id; `nil` until it is accepted.
    public internal(set) var messageID: String?
    /// The sender's own name for this send, a UUIDv7.
    public internal(set) var clientID: String?
    /// The id of the user who has sent it.
    public internal(set) var senderID: String
    /// That user's name, as of the time of sending; `erased:<id>` once the account is erased.
    public internal(set) var senderName: String
    /// Up to 4096 Unicode scalars; empty for deleted and erased messages, and for messages that only have parts.
    public internal(set) var text: String
    /// At most 10.
    public internal(set) var parts: [ChatPart]
    /// The `seq` of the message it answers; that message may not exist.
    public internal(set) var replyTo: Int?
    /// When the server accepted it; before that, when the user sent it. Precise to a millisecond.
    public internal(set) var date: Date
    /// The date of its last edit.
    public internal(set) var editedAt: Date?
    /// Whether its author, a moderator or the owner has deleted it.
    public internal(set) var isDeleted: Bool
    /// Whether its author's account was erased.
    public internal(set) var isErased: Bool
    /// In the order in which the emojis were first used.
    public internal(set) var reactions: [ChatReaction]
    /// How far it has come.
    public internal(set) var state: MessageState
    /// An edit or a deletion that is not confirmed.
    public internal(set) var pendingChange: PendingChange?

    /// Whether there is nothing left to show but a notice.
    public var isRemoved: Bool { isDeleted || isErased }
}

/// What a user sends.
public struct ChatDraft: Hashable, Sendable {
    /// At most `limits.text_chars` Unicode scalars (4096); may be empty if there are parts or files.
    public var text: String
    /// At most 10, together with the files.
    public var parts: [ChatPart]
    /// Files of this device; they are copied, uploaded, and become parts after the others. See <doc:Attachments>.
    public var files: [LocalFile]
    /// The `seq` of the message it answers.
    public var replyTo: Int?

    /// - Parameters:
    ///   - text: At most 4096 Unicode scalars; may be empty if there are parts.
    ///   - parts: At most 10, together with the files.
    ///   - files: Files of this device, to be uploaded.
    ///   - replyTo: The `seq` of the message it answers.
    public init(_ text: String, parts: [ChatPart] = [], files: [LocalFile] = [], replyTo: Int? = nil) {
        self.text = text
        self.parts = parts
        self.files = files
        self.replyTo = replyTo
    }
}
