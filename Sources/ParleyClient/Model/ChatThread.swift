public import Foundation

/// A conversation that the user is a member of.
public struct ChatThread: Hashable, Sendable, Identifiable {
    /// The kinds of threads.
    public typealias Kind = ChatThreadKind

    /// 1 to 90 characters.
    public let id: String
    /// A room's title; the other user's name in a direct thread.
    public internal(set) var title: String
    /// Room or direct thread.
    public internal(set) var kind: Kind
    /// The user's own role.
    public internal(set) var role: ChatRole
    /// Messages of others after the read cursor that are not deleted.
    public internal(set) var unread: Int
    /// The `seq` up to which the user has read, on any device.
    public internal(set) var readSeq: Int
    /// The newest known `seq` of the log.
    public internal(set) var headSeq: Int
    /// The newest message that is known, pending ones included.
    public internal(set) var lastMessage: ChatMessage?
    /// When something happened last; threads are ordered by it, newest first.
    public internal(set) var lastActivity: Date
    /// Who is typing, except for the user; each for at most 6 seconds after the last notice.
    public internal(set) var typing: [ChatUser]
    /// How far other members have read, as far as this client was told: by user id.
    public internal(set) var receipts: [String: ReadReceipt]
}

/// How far a member has read.
public struct ReadReceipt: Hashable, Sendable, Codable {
    /// Up to and with this `seq`.
    public let seq: Int
    /// When the member reported it.
    public let date: Date

    package init(seq: Int, date: Date) {
        self.seq = seq
        self.date = date
    }
}

/// A member of a thread.
public struct ChatMember: Hashable, Sendable, Identifiable {
    /// The member's user id.
    public var id: String { user.id }
    /// Who it is.
    public let user: ChatUser
    /// `nil` if the server does not say it.
    public internal(set) var role: ChatRole?
}

/// Whether a user has a connection.
public struct ChatPresence: Hashable, Sendable {
    /// Whether the user has a socket, on any device.
    public let isOnline: Bool
    /// When the user was last online; `nil` if unknown.
    public let lastSeen: Date?
}

/// A room that the user may join.
public struct JoinableRoom: Hashable, Sendable, Identifiable {
    /// The thread's id.
    public let id: String
    /// The title to join it by.
    public let title: String
}

/// What a search found.
public struct SearchResults: Hashable, Sendable {
    /// Newest first.
    public let messages: [ChatMessage]
    /// Whether more messages match.
    public let hasMore: Bool
}
