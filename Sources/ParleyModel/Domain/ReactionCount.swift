/// How many users react to a message with one emoji.
package struct ReactionCount: Hashable, Sendable {
    package let emoji: String
    package let count: Int64
    /// The first of them in the order of their ids' bytes, at most `maximumUsers`.
    package let users: [UserID]

    /// The most users that are named.
    package static let maximumUsers = 50

    package init(emoji: String, count: Int64, users: [UserID]) {
        self.emoji = emoji
        self.count = count
        self.users = users
    }
}
