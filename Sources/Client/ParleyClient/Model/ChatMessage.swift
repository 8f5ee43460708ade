public import Foundation

/// A message in its current state.
public struct ChatMessage: Hashable, Sendable, Identifiable {
    /// The identity of the message on this client: the `client_id` of the user's own messages, and the server's ID of
    /// other messages. It does not change when a pending message is accepted.
    public internal(set) var id: String
    /// The ID of the thread that contains the message.
    public internal(set) var threadID: String
    /// The position in the thread's log; `nil` until the server accepts the message.
    public internal(set) var seq: Int?
    /// The server's ID of the message; `nil` until the server accepts it.
    public internal(set) var messageID: String?
    /// The sender's ID of the send, a UUIDv7.
    public internal(set) var clientID: String?
    /// The ID of the sender.
    public internal(set) var senderID: String
    /// The name of the sender at the time of sending; `erased:<id>` after the account was erased.
    public internal(set) var senderName: String
    /// The text, at most 4096 Unicode scalars. It is empty if the message was deleted or erased, or has only parts.
    public internal(set) var text: String
    /// The parts, at most 10.
    public internal(set) var parts: [ChatPart]
    /// The `seq` of the message that this message replies to. That message may not exist.
    public internal(set) var replyTo: Int?
    /// The date the server accepted the message, or the date it was sent until then. The precision is one millisecond.
    public internal(set) var date: Date
    /// The date of the last edit.
    public internal(set) var editedAt: Date?
    /// A Boolean value that indicates whether the sender, a moderator or the owner has deleted the message.
    public internal(set) var isDeleted: Bool
    /// A Boolean value that indicates whether the sender's account was erased.
    public internal(set) var isErased: Bool
    /// The reactions, in the order of their first use.
    public internal(set) var reactions: [ChatReaction]
    /// Delivery state.
    public internal(set) var state: MessageState
    /// An edit or a deletion that the server has not confirmed.
    public internal(set) var pendingChange: PendingChange?

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
