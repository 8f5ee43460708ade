public import Foundation

/// A conversation that the user belongs to.
public struct ChatThread: Hashable, Sendable, Identifiable {
    /// The kind of a thread.
    public typealias Kind = ChatThreadKind

    /// The ID of a thread, 1 to 90 characters.
    public struct ID: ChatIdentifier {
        /// The text of the ID.
        public let rawValue: String

        /// Creates an ID from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The ID of the thread.
    public let id: ID
    /// The title of a room, or the other user's name in a direct thread.
    public var title: String
    /// The kind of the thread: a room or a direct thread.
    public var kind: Kind
    /// The visibility, which is `private` for a direct thread.
    public var visibility: ChatVisibility
    /// The user's own role.
    public var role: ChatRole
    /// The number of other users' messages after the read cursor, without deleted ones.
    public var unread: Int
    /// The `seq` of the user's read cursor, which all devices share.
    public var readSeq: Int
    /// The newest known `seq` of the log.
    public var headSeq: Int
    /// The newest known message, which may be pending.
    public var lastMessage: ChatMessage?
    /// The date of the last activity. Threads are sorted by it, newest first.
    public var lastActivity: Date
    /// The other users who are typing. A user is removed 6 seconds after their last notification.
    public var typing: [ChatUser]
    /// The known read receipts of other members, by user ID.
    public var receipts: [ChatUser.ID: ReadReceipt]
    /// The user's own mute in the thread; `nil` while there is none.
    ///
    /// The server reports it at each connection, and when a mute begins, changes or is ended. Mutes of other users are in
    /// ``ChatClient/sanctions(in:)``.
    public var mute: ChatMute?
    /// The state of the room besides its title: topic, archive, slow mode and rights.
    public var room: ChatRoom
    /// The time from which slow mode lets the user send again, by the clock of this device; `nil` if they may send now.
    ///
    /// A message that is sent before waits in the outbox. The client removes the value at that time.
    public var slowUntil: Date?

    /// Creates a thread.
    /// - Parameters:
    ///   - id: The ID of the thread.
    ///   - title: The title of a room, or the other user's name in a direct thread.
    ///   - kind: The kind of the thread.
    ///   - visibility: The visibility.
    ///   - role: The user's own role.
    ///   - unread: The number of other users' messages after the read cursor.
    ///   - readSeq: The `seq` of the user's read cursor.
    ///   - headSeq: The newest known `seq` of the log.
    ///   - lastMessage: The newest known message.
    ///   - lastActivity: The date of the last activity.
    ///   - typing: The other users who are typing.
    ///   - receipts: The known read receipts of other members.
    ///   - mute: The user's own mute in the thread.
    ///   - room: The state of the room besides its title.
    ///   - slowUntil: The time from which slow mode lets the user send again.
    public init(
        id: ID, title: String, kind: Kind = .room, visibility: ChatVisibility = .public, role: ChatRole = .member,
        unread: Int = 0, readSeq: Int = 0, headSeq: Int = 0, lastMessage: ChatMessage? = nil,
        lastActivity: Date = Date(timeIntervalSince1970: 0),
        typing: [ChatUser] = [], receipts: [ChatUser.ID: ReadReceipt] = [:], mute: ChatMute? = nil,
        room: ChatRoom = ChatRoom(), slowUntil: Date? = nil
    ) {
        self.id = id
        self.title = title
        self.kind = kind
        self.visibility = visibility
        self.role = role
        self.unread = unread
        self.readSeq = readSeq
        self.headSeq = headSeq
        self.lastMessage = lastMessage
        self.lastActivity = lastActivity
        self.typing = typing
        self.receipts = receipts
        self.mute = mute
        self.room = room
        self.slowUntil = slowUntil
    }
}

/// The read position of a member.
public struct ReadReceipt: Hashable, Sendable, Codable {
    /// The `seq` of the last message that the member has read.
    public let seq: Int
    /// The date the member reported the position.
    public let date: Date

    /// Creates a receipt.
    /// - Parameters:
    ///   - seq: The `seq` of the last message that the member has read.
    ///   - date: The date the member reported the position.
    public init(seq: Int, date: Date) {
        self.seq = seq
        self.date = date
    }
}

/// A member of a thread.
public struct ChatMember: Hashable, Sendable, Identifiable {
    /// The ID of the user.
    public var id: ChatUser.ID { user.id }
    /// The user's profile.
    public let user: ChatUser
    /// The member's role; `nil` if the server does not provide it.
    public var role: ChatRole?

    /// Creates a member.
    /// - Parameters:
    ///   - user: The user's profile.
    ///   - role: The member's role.
    public init(user: ChatUser, role: ChatRole? = .member) {
        self.user = user
        self.role = role
    }
}

/// The presence of a user.
public struct ChatPresence: Hashable, Sendable {
    /// A Boolean value that indicates whether the user is connected on any device.
    public let isOnline: Bool
    /// The date the user was last online; `nil` if unknown.
    public let lastSeen: Date?

    /// Creates a presence.
    /// - Parameters:
    ///   - isOnline: Whether the user is connected on any device.
    ///   - lastSeen: The date the user was last online.
    public init(isOnline: Bool, lastSeen: Date? = nil) {
        self.isOnline = isOnline
        self.lastSeen = lastSeen
    }
}

/// A room that the user can join.
public struct JoinableRoom: Hashable, Sendable, Identifiable {
    /// The ID of the thread.
    public let id: ChatThread.ID
    /// The title, which ``ChatClient/joinRoom(title:)`` takes.
    public let title: String

    /// Creates a room.
    /// - Parameters:
    ///   - id: The ID of the thread.
    ///   - title: The title.
    public init(id: ChatThread.ID, title: String) {
        self.id = id
        self.title = title
    }
}

/// The result of a search.
public struct SearchResults: Hashable, Sendable {
    /// The matching messages, newest first.
    public let messages: [ChatMessage]
    /// A Boolean value that indicates whether more messages match.
    public let hasMore: Bool

    /// Creates a result.
    /// - Parameters:
    ///   - messages: The matching messages, newest first.
    ///   - hasMore: Whether more messages match.
    public init(messages: [ChatMessage], hasMore: Bool = false) {
        self.messages = messages
        self.hasMore = hasMore
    }
}
