/// The reactions to a message with one emoji.
public struct ChatReaction: Hashable, Sendable {
    /// The emoji, at most 64 bytes.
    public let emoji: String
    /// The number of users, which may exceed the number of elements in ``users``.
    public var count: Int
    /// The IDs of at most 50 of the users.
    public var users: [ChatUser.ID]

    /// Creates a reaction.
    /// - Parameters:
    ///   - emoji: The emoji, at most 64 bytes.
    ///   - count: The number of users.
    ///   - users: The IDs of at most 50 of the users.
    public init(emoji: String, count: Int, users: [ChatUser.ID]) {
        self.emoji = emoji
        self.count = count
        self.users = users
    }
}
