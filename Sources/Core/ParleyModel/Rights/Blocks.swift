/// A user that another user blocks, as the blocker sees it.
package struct BlockRecord: Hashable, Sendable {
    /// The blocked user.
    package var user: User
    /// When the block was made, in Unix milliseconds by the database's clock.
    package var since: Int64

    package init(user: User, since: Int64) {
        self.user = user
        self.since = since
    }
}

/// The blocks that concern a user.
package struct UserBlocks: Hashable, Sendable {
    /// The maximum number of users that one user blocks.
    package static let most = 1000

    /// The users that the user blocks.
    package var made: Set<UserID>
    /// The users who block the user.
    package var suffered: Set<UserID>

    package init(made: Set<UserID> = [], suffered: Set<UserID> = []) {
        self.made = made
        self.suffered = suffered
    }

    package static let none = UserBlocks()

    /// Whether the user and another do not see each other type.
    package func hides(_ user: UserID) -> Bool { made.contains(user) || suffered.contains(user) }

    package var isEmpty: Bool { made.isEmpty && suffered.isEmpty }
}

/// The result of making a block.
package enum BlockOutcome: Hashable, Sendable {
    /// The user blocks the other, since this time in Unix milliseconds.
    case blocked(since: Int64)
    /// One of the users is unknown or erased.
    case unknownUser
    /// The user blocks `UserBlocks.most` others already.
    case tooMany
}
