public import Foundation

/// A message in its current state.
///
/// Previews and tests make messages themselves; everything but the ID, the thread, the sender and the text has a
/// default:
///
/// ```swift
/// let hello = ChatMessage(id: "m1", threadID: "t1", seq: 1, senderID: "u1", senderName: "ada", text: "Hello")
/// ```
public struct ChatMessage: Hashable, Sendable, Identifiable {
    /// The identity of a message on a client.
    public struct ID: ChatIdentifier {
        /// The text of the ID.
        public let rawValue: String

        /// Creates an ID from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The identity of the message on this client: the `client_id` of the user's own messages, and the server's ID of
    /// other messages. It does not change when a pending message is accepted.
    public var id: ID
    /// The ID of the thread that contains the message.
    public var threadID: ChatThread.ID
    /// The position in the thread's log; `nil` until the server accepts the message.
    public var seq: Int?
    /// The server's ID of the message; `nil` until the server accepts it.
    public var messageID: String?
    /// The sender's ID of the send, a UUIDv7.
    public var clientID: String?
    /// The ID of the sender.
    public var senderID: ChatUser.ID
    /// The name of the sender at the time of sending; `erased:<id>` after the account was erased.
    public var senderName: String
    /// The display name of the sender; `nil` if it equals the username. It changes with the user's profile while the
    /// client is connected.
    public var senderDisplayName: String?
    /// The text, at most 4096 Unicode scalars. It is empty if the message was deleted or erased, or has only parts.
    public var text: String
    /// The parts, at most 10.
    public var parts: [ChatPart]
    /// The `seq` of the message that this message replies to. That message may not exist.
    public var replyTo: Int?
    /// The date the server accepted the message, or the date it was sent until then. The precision is one millisecond.
    public var date: Date
    /// The date of the last edit.
    public var editedAt: Date?
    /// A Boolean value that indicates whether the sender, a moderator or the owner has deleted the message.
    public var isDeleted: Bool
    /// A Boolean value that indicates whether the sender's account was erased.
    public var isErased: Bool
    /// The reactions, in the order of their first use.
    public var reactions: [ChatReaction]
    /// Delivery state.
    public var state: MessageState
    /// An edit or a deletion that the server has not confirmed.
    public var pendingChange: PendingChange?

    /// Creates a message.
    /// - Parameters:
    ///   - id: The identity of the message on this client.
    ///   - threadID: The ID of the thread that contains the message.
    ///   - seq: The position in the thread's log; `nil` for a message that is not accepted.
    ///   - messageID: The server's ID of the message.
    ///   - clientID: The sender's ID of the send.
    ///   - senderID: The ID of the sender.
    ///   - senderName: The name of the sender.
    ///   - senderDisplayName: The display name of the sender.
    ///   - text: The text.
    ///   - parts: The parts.
    ///   - replyTo: The `seq` of the message that this message replies to.
    ///   - date: The date the server accepted the message, or the date it was sent.
    ///   - editedAt: The date of the last edit.
    ///   - isDeleted: Whether the message was deleted.
    ///   - isErased: Whether the sender's account was erased.
    ///   - reactions: The reactions, in the order of their first use.
    ///   - state: The delivery state.
    ///   - pendingChange: An edit or a deletion that the server has not confirmed.
    public init(
        id: ID, threadID: ChatThread.ID, seq: Int? = nil, messageID: String? = nil, clientID: String? = nil,
        senderID: ChatUser.ID, senderName: String, senderDisplayName: String? = nil, text: String,
        parts: [ChatPart] = [], replyTo: Int? = nil,
        date: Date = Date(timeIntervalSince1970: 0), editedAt: Date? = nil, isDeleted: Bool = false,
        isErased: Bool = false, reactions: [ChatReaction] = [], state: MessageState = .stored,
        pendingChange: PendingChange? = nil
    ) {
        self.id = id
        self.threadID = threadID
        self.seq = seq
        self.messageID = messageID
        self.clientID = clientID
        self.senderID = senderID
        self.senderName = senderName
        self.senderDisplayName = senderDisplayName
        self.text = text
        self.parts = parts
        self.replyTo = replyTo
        self.date = date
        self.editedAt = editedAt
        self.isDeleted = isDeleted
        self.isErased = isErased
        self.reactions = reactions
        self.state = state
        self.pendingChange = pendingChange
    }

    /// The name to show for the sender: the display name, or the username without one.
    public var shownSenderName: String { senderDisplayName ?? senderName }

    /// A Boolean value that indicates whether the message has no content. Show a placeholder for it.
    public var isRemoved: Bool { isDeleted || isErased }
}

/// The content of a message to send.
///
/// ```swift
/// let draft = ChatDraft("The harvest", files: [LocalFile(path: "/photos/beans.jpg", mediaType: "image/jpeg")])
/// try await client.send(draft, to: thread)
/// ```
public struct ChatDraft: Hashable, Sendable {
    /// The text, at most ``ChatClient/textLimit`` Unicode scalars. It can be empty if the draft has parts or files.
    public var text: String
    /// The parts, at most 10 including the files.
    public var parts: [ChatPart]
    /// Files of this device. They are copied and uploaded, and follow the other parts. See <doc:Attachments>.
    public var files: [LocalFile]
    /// The `seq` of the message that this message replies to.
    public var replyTo: Int?

    /// Creates a draft.
    /// - Parameters:
    ///   - text: The text, at most 4096 Unicode scalars. It can be empty if the draft has parts or files.
    ///   - parts: The parts, at most 10 including the files.
    ///   - files: Files of this device to upload.
    ///   - replyTo: The `seq` of the message that this message replies to.
    public init(_ text: String, parts: [ChatPart] = [], files: [LocalFile] = [], replyTo: Int? = nil) {
        self.text = text
        self.parts = parts
        self.files = files
        self.replyTo = replyTo
    }
}
