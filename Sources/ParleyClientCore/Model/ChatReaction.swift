/// The users who react to a message with one emoji.
public struct ChatReaction: Hashable, Sendable {
    /// Up to 64 bytes.
    public let emoji: String
    /// How many users; may exceed `users`.
    public package(set) var count: Int
    /// The ids of at most 50 of them.
    public package(set) var users: [String]

    package init(emoji: String, count: Int, users: [String]) {
        self.emoji = emoji
        self.count = count
        self.users = users
    }
}
