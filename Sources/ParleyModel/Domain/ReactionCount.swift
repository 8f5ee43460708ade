/// The number of users who react to a message with one emoji.
package struct ReactionCount: Hashable, Sendable {
    package let emoji: String
    package let count: Int64
    /// The first of these users in the byte order of their ids, at most `maximumUsers`.
    package let users: [UserID]

    /// Maximum number of users listed.
    package static let maximumUsers = 50

    package init(emoji: String, count: Int64, users: [UserID]) {
        self.emoji = emoji
        self.count = count
        self.users = users
    }
}
