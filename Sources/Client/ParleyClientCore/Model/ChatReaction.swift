/// The reactions to a message with one emoji.
public struct ChatReaction: Hashable, Sendable {
    /// The emoji, at most 64 bytes.
    public let emoji: String
    /// The number of users, which may exceed the number of elements in ``users``.
    public package(set) var count: Int
    /// The IDs of at most 50 of the users.
    public package(set) var users: [String]

    package init(emoji: String, count: Int, users: [String]) {
        self.emoji = emoji
        self.count = count
        self.users = users
    }
}
