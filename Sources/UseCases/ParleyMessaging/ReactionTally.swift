import ParleyModel

/// The users who react to one message, updated with reaction events.
struct ReactionTally: Sendable {
    private struct Users: Sendable {
        let emoji: String
        var named: Set<UserID>
        /// The number of users that the store does not list. If one of them reacts again, they are counted twice until the
        /// store also has that reaction.
        var unnamed: Int64
    }

    /// The users by the bytes of the emoji, so that emoji that only look the same are distinct.
    private var reactions: [[UInt8]: Users] = [:]

    init(_ counts: [ReactionCount]) {
        for count in counts {
            reactions[Array(count.emoji.utf8)] = Users(
                emoji: count.emoji, named: Set(count.users), unnamed: count.count - Int64(count.users.count))
        }
    }

    mutating func note(_ reaction: Reaction) {
        let key = Array(reaction.emoji.utf8)
        var users = reactions[key] ?? Users(emoji: reaction.emoji, named: [], unnamed: 0)
        if reaction.isOn {
            users.named.insert(reaction.user)
        } else if users.named.remove(reaction.user) == nil, users.unnamed > 0 {
            users.unnamed -= 1
        }
        reactions[key] = users
    }

    /// The counts, in the order of `MessageStatus.reactions`.
    var counts: [ReactionCount] {
        reactions.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { _, users in
            let count = Int64(users.named.count) + users.unnamed
            guard count > 0 else { return nil }
            let named = users.named.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
            return ReactionCount(
                emoji: users.emoji, count: count, users: Array(named.prefix(ReactionCount.maximumUsers)))
        }
    }
}
