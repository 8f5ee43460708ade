public import Foundation
import ParleyJSON

/// An invitation to a room or group, as its owner and moderators see it. A user has at most one to a room.
public struct ChatInvitation: Hashable, Sendable, Identifiable {
    /// The ID of the invited user.
    public var id: ChatUser.ID { user.id }
    /// The ID of the room.
    public let threadID: ChatThread.ID
    /// The invited user.
    public let user: ChatUser
    /// The user who has invited them.
    public let by: ChatUser
    /// The text for the invited user, 1 to 500 characters; `nil` if there is none.
    public let text: String?
    /// The date of the invitation, by the server's clock.
    public let since: Date
    /// The end by the server's clock; `nil` for an invitation that does not expire.
    public let until: Date?

    /// Creates an invitation.
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - user: The invited user.
    ///   - by: The user who has invited them.
    ///   - text: The text for the invited user.
    ///   - since: The date of the invitation.
    ///   - until: The end; `nil` for an invitation that does not expire.
    public init(
        threadID: ChatThread.ID, user: ChatUser, by: ChatUser, text: String? = nil, since: Date, until: Date? = nil
    ) {
        self.threadID = threadID
        self.user = user
        self.by = by
        self.text = text
        self.since = since
        self.until = until
    }
}

/// An invitation of the user to a room or group, which is otherwise hidden from them.
public struct ChatMyInvitation: Hashable, Sendable, Identifiable {
    /// The ID of the room.
    public var id: ChatThread.ID { threadID }
    /// The ID of the room, which ``ChatClient/acceptInvitation(to:)`` takes.
    public let threadID: ChatThread.ID
    /// The title of the room.
    public let title: String
    /// The kind of the thread.
    public let kind: ChatThread.Kind
    /// The visibility of the room.
    public let visibility: ChatVisibility
    /// The user who has invited this one.
    public let by: ChatUser
    /// The text of the invitation, 1 to 500 characters; `nil` if there is none.
    public let text: String?
    /// The date of the invitation, by the server's clock.
    public let since: Date
    /// The end by the server's clock; `nil` for an invitation that does not expire.
    public let until: Date?

    /// Creates an invitation.
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - title: The title of the room.
    ///   - kind: The kind of the thread.
    ///   - visibility: The visibility of the room.
    ///   - by: The user who has invited this one.
    ///   - text: The text of the invitation.
    ///   - since: The date of the invitation.
    ///   - until: The end; `nil` for an invitation that does not expire.
    public init(
        threadID: ChatThread.ID, title: String, kind: ChatThread.Kind = .room, visibility: ChatVisibility = .private,
        by: ChatUser, text: String? = nil, since: Date, until: Date? = nil
    ) {
        self.threadID = threadID
        self.title = title
        self.kind = kind
        self.visibility = visibility
        self.by = by
        self.text = text
        self.since = since
        self.until = until
    }
}

extension ChatInvitation {
    /// Reads an invitation from REST.
    init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text, let user = tree["user"].flatMap({ ChatUser($0) }),
            let by = tree["by"].flatMap({ ChatUser($0) })
        else { return nil }
        self.init(
            threadID: ChatThread.ID(thread), user: user, by: by, text: tree["text"]?.text,
            since: Date(milliseconds: tree["since_ms"]?.milliseconds ?? 0),
            until: tree["until_ms"]?.milliseconds.map { Date(milliseconds: $0) })
    }
}

extension ChatMyInvitation {
    /// Reads an invitation of the user from REST.
    init?(_ tree: JSONTree) {
        guard let thread = tree["thread"], let id = thread["id"]?.text, let by = tree["by"].flatMap({ ChatUser($0) })
        else { return nil }
        self.init(
            threadID: ChatThread.ID(id), title: thread["title"]?.text ?? id,
            kind: thread["kind"]?.text.flatMap { ChatThread.Kind(rawValue: $0) } ?? .other,
            visibility: thread["visibility"]?.text.flatMap { ChatVisibility(rawValue: $0) } ?? .other, by: by,
            text: tree["text"]?.text, since: Date(milliseconds: tree["since_ms"]?.milliseconds ?? 0),
            until: tree["until_ms"]?.milliseconds.map { Date(milliseconds: $0) })
    }
}
