/// A user as other users see them.
public struct ChatUser: Hashable, Sendable, Identifiable {
    /// The ID of a user, 1 to 90 characters.
    public struct ID: ChatIdentifier {
        /// The text of the ID.
        public let rawValue: String

        /// Creates an ID from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The ID of the user.
    public let id: ID
    /// The unique name of the user.
    public var username: String
    /// The display name, if set.
    public var displayName: String?
    /// The URL of the user's picture, if set. It is an absolute URL, or the path of an attachment (see
    /// ``ChatClient/data(of:limit:)``).
    public var avatarURL: String?

    /// Creates a user.
    /// - Parameters:
    ///   - id: The ID of the user.
    ///   - username: The unique name of the user.
    ///   - displayName: The display name.
    ///   - avatarURL: The URL of the user's picture.
    public init(id: ID, username: String, displayName: String? = nil, avatarURL: String? = nil) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.avatarURL = avatarURL
    }
}

/// The role of a member, which determines the member's rights in a thread.
public enum ChatRole: String, Hashable, Sendable, Codable {
    /// Manages all roles and memberships, renames and deletes the room.
    case owner
    /// Deletes messages, and manages members and read-only members.
    case moderator
    /// Reads and writes.
    case member
    /// Only reads.
    case readOnly = "read_only"
    /// An unknown role.
    case other
}

/// The visibility of a thread.
public enum ChatVisibility: String, Hashable, Sendable, Codable {
    /// Everybody finds and joins the room.
    case `public`
    /// The room is in no list. Users who know its ID join it.
    case unlisted
    /// For members only. To others the thread does not exist.
    case `private`
    /// An unknown visibility.
    case other
}

/// The kinds of threads. Show an unknown kind as a room.
public enum ChatThreadKind: String, Hashable, Sendable, Codable {
    /// A room, which has a title. Its ``ChatVisibility`` tells who can join.
    case room
    /// A conversation between two users.
    case direct
    /// A private room without a unique title, which is made for its members.
    case group
    /// An unknown kind.
    case other
}
