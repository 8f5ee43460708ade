public import Foundation

/// The state of a room or group besides its title and visibility, and whether a direct thread is blocked.
public struct ChatRoom: Hashable, Sendable {
    /// A line about the room, at most 250 characters; `nil` if there is none.
    public var topic: String?
    /// The ID of the attachment that is the picture of the room; `nil` if there is none. ``ChatClient/data(of:limit:)`` loads
    /// it, of a ``ChatFile`` with the URL `/v1/attachments/ID`. Show the initials of the title if it cannot be loaded.
    public var picture: String?
    /// Whether the room is read-only for all, its owner included. Hide it from the inbox.
    public var isArchived: Bool
    /// The seconds between two messages of a member, at most 21,600; 0 without slow mode. The owner and the moderators are
    /// exempt.
    public var slowSeconds: Int
    /// The holders of rights.
    public var rights: ChatRights
    /// Whether one of the two users of a direct thread blocks the other, so that neither may write.
    public var isBlocked: Bool
    /// The number of changes, also of the texts in ``ChatRoomDetails``.
    public var changes: Int

    /// Creates a state. A new room has the defaults.
    /// - Parameters:
    ///   - topic: A line about the room.
    ///   - isArchived: Whether the room is read-only for all.
    ///   - slowSeconds: The seconds between two messages of a member; 0 without slow mode.
    ///   - rights: The holders of rights.
    ///   - isBlocked: Whether one of the two users of a direct thread blocks the other.
    ///   - changes: The number of changes.
    ///   - picture: The ID of the attachment that is the picture.
    public init(
        topic: String? = nil, isArchived: Bool = false, slowSeconds: Int = 0, rights: ChatRights = ChatRights(),
        isBlocked: Bool = false, changes: Int = 0, picture: String? = nil
    ) {
        self.topic = topic
        self.picture = picture
        self.isArchived = isArchived
        self.slowSeconds = slowSeconds
        self.rights = rights
        self.isBlocked = isBlocked
        self.changes = changes
    }
}

/// The holders of the rights of a room. A mute and the role `readOnly` take away more than a right gives.
public struct ChatRights: Hashable, Sendable {
    /// The users who have a right.
    public enum Holder: String, Hashable, Sendable, Codable {
        /// All members.
        case everyone
        /// The owner and the moderators.
        case moderators
    }

    /// The holders of the right to send, edit, delete, react and show typing.
    public var write: Holder
    /// The holders of the right to send messages with files and other parts.
    public var attach: Holder
    /// The holders of the right to write `@all`, `@everyone`, `@channel` or `@here` as a word.
    public var mention: Holder
    /// The holders of the right to add members.
    public var add: Holder

    /// Creates rights. A new room has the defaults.
    /// - Parameters:
    ///   - write: The holders of the right to write.
    ///   - attach: The holders of the right to send files.
    ///   - mention: The holders of the right to mention everyone.
    ///   - add: The holders of the right to add members.
    public init(
        write: Holder = .everyone, attach: Holder = .everyone, mention: Holder = .everyone, add: Holder = .moderators
    ) {
        self.write = write
        self.attach = attach
        self.mention = mention
        self.add = add
    }
}

/// A reason for which the user may not write in a thread.
public enum ChatHindrance: Hashable, Sendable {
    /// The room is archived.
    case archived
    /// One of the two users of a direct thread blocks the other.
    case blocked
    /// Only the owner and the moderators write.
    case moderators
    /// The user has the role `readOnly`.
    case readOnly
    /// The user is muted. The mute has its end and its reason.
    case muted(ChatMute)
}

/// All details of a room, with the texts that threads do not have.
public struct ChatRoomDetails: Hashable, Sendable {
    /// The state that ``ChatThread/room`` has too.
    public var room: ChatRoom
    /// A text about the room, at most 2,000 characters; `nil` if there is none.
    public var description: String?
    /// The rules of the room, at most 4,000 characters; `nil` if there are none.
    public var rules: String?

    /// Creates details.
    /// - Parameters:
    ///   - room: The state that ``ChatThread/room`` has too.
    ///   - description: A text about the room.
    ///   - rules: The rules of the room.
    public init(room: ChatRoom = ChatRoom(), description: String? = nil, rules: String? = nil) {
        self.room = room
        self.description = description
        self.rules = rules
    }
}

/// A change of a room. What is `nil` keeps its value.
public struct ChatRoomChange: Hashable, Sendable {
    /// A line of at most 250 characters; empty for none.
    public var topic: String?
    /// A text of at most 2,000 characters; empty for none.
    public var description: String?
    /// A text of at most 4,000 characters; empty for none.
    public var rules: String?
    /// The seconds between two messages of a member, 0 to 21,600; 0 for no slow mode.
    public var slowSeconds: Int?
    /// Whether the room is read-only for all. Only the owner changes it.
    public var isArchived: Bool?
    /// The holders of the right to write. Only the owner changes rights.
    public var write: ChatRights.Holder?
    /// The holders of the right to send files.
    public var attach: ChatRights.Holder?
    /// The holders of the right to mention everyone.
    public var mention: ChatRights.Holder?
    /// The holders of the right to add members.
    public var add: ChatRights.Holder?
    /// The ID of an image that the user has uploaded; empty for none.
    public var picture: String?

    /// Creates a change.
    /// - Parameters:
    ///   - topic: A line about the room; empty for none.
    ///   - description: A text about the room; empty for none.
    ///   - rules: The rules of the room; empty for none.
    ///   - slowSeconds: The seconds between two messages of a member; 0 for no slow mode.
    ///   - isArchived: Whether the room is read-only for all.
    ///   - write: The holders of the right to write.
    ///   - attach: The holders of the right to send files.
    ///   - mention: The holders of the right to mention everyone.
    ///   - add: The holders of the right to add members.
    ///   - picture: The ID of an image that the user has uploaded; empty for none.
    public init(
        topic: String? = nil, description: String? = nil, rules: String? = nil, slowSeconds: Int? = nil,
        isArchived: Bool? = nil, write: ChatRights.Holder? = nil, attach: ChatRights.Holder? = nil,
        mention: ChatRights.Holder? = nil, add: ChatRights.Holder? = nil, picture: String? = nil
    ) {
        self.picture = picture
        self.topic = topic
        self.description = description
        self.rules = rules
        self.slowSeconds = slowSeconds
        self.isArchived = isArchived
        self.write = write
        self.attach = attach
        self.mention = mention
        self.add = add
    }
}

/// A block of another user by the user.
public struct ChatBlock: Hashable, Sendable, Identifiable {
    /// The ID of the blocked user.
    public var id: ChatUser.ID { user.id }
    /// The blocked user.
    public let user: ChatUser
    /// The date of the block, by the server's clock.
    public let since: Date

    /// Creates a block.
    /// - Parameters:
    ///   - user: The blocked user.
    ///   - since: The date of the block.
    public init(user: ChatUser, since: Date) {
        self.user = user
        self.since = since
    }
}

extension ChatThread {
    /// The reason for which the user may not write; `nil` if they may. Slow mode is ``slowUntil``.
    public var hindrance: ChatHindrance? {
        if room.isArchived { return .archived }
        if room.isBlocked { return .blocked }
        if let mute { return .muted(mute) }
        if role == .readOnly { return .readOnly }
        return room.rights.write == .moderators && role != .owner && role != .moderator ? .moderators : nil
    }
}

extension ChatRoom {
    init(_ fields: ServerFrame.RoomFields) {
        func holder(_ right: String) -> ChatRights.Holder {
            fields.moderatorRights.contains(right) ? .moderators : .everyone
        }
        self.init(
            topic: fields.topic, isArchived: fields.isArchived, slowSeconds: Int(clamping: fields.slowSeconds),
            rights: ChatRights(
                write: holder("write"), attach: holder("attach"), mention: holder("mention"),
                add: fields.everyoneAdds ? .everyone : .moderators),
            isBlocked: fields.isBlocked, changes: Int(clamping: fields.changes), picture: fields.picture)
    }
}
