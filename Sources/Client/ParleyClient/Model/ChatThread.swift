public import Foundation

/// A conversation that the user belongs to.
public struct ChatThread: Hashable, Sendable, Identifiable {
    /// The kind of a thread.
    public typealias Kind = ChatThreadKind

    /// The ID of the thread, 1 to 90 characters.
    public let id: String
    /// The title of a room, or the other user's name in a direct thread.
    public internal(set) var title: String
    /// The kind of the thread: a room or a direct thread.
    public internal(set) var kind: Kind
    /// Who finds and enters the thread; `private` for a direct thread.
    public internal(set) var visibility: ChatVisibility
    /// The user's own role.
    public internal(set) var role: ChatRole
    /// The number of other users' messages after the read cursor, without deleted ones.
    public internal(set) var unread: Int
    /// The `seq` of the user's read cursor, which all devices share.
    public internal(set) var readSeq: Int
    /// The newest known `seq` of the log.
    public internal(set) var headSeq: Int
    /// The newest known message, which may be pending.
    public internal(set) var lastMessage: ChatMessage?
    /// The date of the last activity. Threads are sorted by it, newest first.
    public internal(set) var lastActivity: Date
    /// The other users who are typing. A user is removed 6 seconds after their last notification.
    public internal(set) var typing: [ChatUser]
    /// The known read receipts of other members, by user ID.
    public internal(set) var receipts: [String: ReadReceipt]
}

/// The read position of a member.
public struct ReadReceipt: Hashable, Sendable, Codable {
    /// The `seq` of the last message that the member has read.
    public let seq: Int
    /// The date the member reported the position.
    public let date: Date

    package init(seq: Int, date: Date) {
        self.seq = seq
        self.date = date
    }
}

/// A member of a thread.
public struct ChatMember: Hashable, Sendable, Identifiable {
    /// The ID of the user.
    public var id: String { user.id }
    /// The user's profile.
    public let user: ChatUser
    /// The member's role; `nil` if the server does not provide it.
    public internal(set) var role: ChatRole?
}

/// The presence of a user.
public struct ChatPresence: Hashable, Sendable {
    /// A Boolean value that indicates whether the user is connected on any device.
    public let isOnline: Bool
    /// The date the user was last online; `nil` if unknown.
    public let lastSeen: Date?
}

/// A room that the user can join.
public struct JoinableRoom: Hashable, Sendable, Identifiable {
    /// The ID of the thread.
    public let id: String
    /// The title, which ``ChatClient/joinRoom(title:)`` takes.
    public let title: String
}

/// The result of a search.
public struct SearchResults: Hashable, Sendable {
    /// The matching messages, newest first.
    public let messages: [ChatMessage]
    /// A Boolean value that indicates whether more messages match.
    public let hasMore: Bool
}
