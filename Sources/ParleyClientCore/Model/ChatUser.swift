/// A user as others see them.
public struct ChatUser: Hashable, Sendable, Identifiable {
    /// 1 to 90 characters.
    public let id: String
    /// The unique name.
    public let username: String
    /// A name to show, if set.
    public let displayName: String?
    /// The address of a picture, if set: of some server, or the path of an attachment (``ChatClient/data(of:limit:)``).
    public let avatarURL: String?

    /// - Parameters:
    ///   - id: 1 to 90 characters.
    ///   - username: The unique name.
    ///   - displayName: A name to show.
    ///   - avatarURL: The address of a picture.
    public init(id: String, username: String, displayName: String? = nil, avatarURL: String? = nil) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.avatarURL = avatarURL
    }
}

/// A member's rights in a thread.
public enum ChatRole: String, Hashable, Sendable, Codable {
    /// Grants every role and membership, renames and deletes the room.
    case owner
    /// Deletes messages, and grants `member` and `readOnly`.
    case moderator
    /// Reads and writes.
    case member
    /// Only reads.
    case readOnly = "read_only"
    /// A role that this version does not recognise.
    case other
}

/// The kinds of threads.
public enum ChatThreadKind: String, Hashable, Sendable, Codable {
    /// Found by its title; any user who knows it may join.
    case room
    /// Of two users.
    case direct
    /// A kind that this version does not recognise.
    case other
}
