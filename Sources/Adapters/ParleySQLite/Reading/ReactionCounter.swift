import ParleyModel

/// Counts the reactions to one message. They must be added in the order of emoji and users.
struct ReactionCounter {
    private(set) var counts: [ReactionCount] = []
    private var users: [UserID] = []

    mutating func add(emoji: String, user: UserID) {
        var count: Int64 = 0
        // Compares bytes, so that emoji that look the same but differ are counted separately.
        if let last = counts.last, last.emoji.utf8.elementsEqual(emoji.utf8) {
            count = last.count
            counts.removeLast()
        } else {
            users = []
        }
        if users.count < ReactionCount.maximumUsers { users.append(user) }
        counts.append(ReactionCount(emoji: emoji, count: count + 1, users: users))
    }
}
