/// The state of a cluster that is quiet again, as its endpoints report it: the input of `StateChecker`.
struct StateFacts: Sendable {
    /// An event of a thread's log that changes its members, its title or its visibility.
    struct Event: Hashable, Sendable {
        enum Change: Hashable, Sendable {
            case joined(user: String)
            case left(user: String)
            case role(user: String, String)
            case renamed(title: String)
            case visibility(String)
            /// Any other event; it has a place in the log.
            case other
        }

        var seq: Int
        var epoch: String
        var change: Change
    }

    struct Thread: Sendable {
        /// Who was a member, with which role, before the log began.
        var imported: [String: String]
        var importedTitle: String
        var importedVisibility = StateModel.visibility
        /// The stored log, in order.
        var log: [Event]
        /// The end of the log as Redis has it, in order.
        var window: [Event]
        /// The members table.
        var members: [String: String]
        var title: String
        var visibility = StateModel.visibility
        /// The users who are muted, members or not.
        var mutes: Set<String> = []
        /// The first member of a group is its owner.
        var isGroup = false
        /// The users with an invitation.
        var invited: Set<String> = []
    }

    /// A direct thread of two users.
    struct Direct: Sendable {
        var users: Set<String>
        /// Whether one of the two blocks the other, in the table.
        var isBlocked = false
    }

    /// A row of the table of blocks.
    struct Block: Hashable, Sendable {
        var user: String
        var other: String
    }

    /// What a client may do, tried by a command that does nothing else.
    enum Right: String, Hashable, Sendable {
        case write, read, none
        /// The thread does not exist for the client.
        case hidden
    }

    struct Socket: Sendable {
        var user: String
        /// Opened before the last fault, or after it.
        var isOld: Bool
        /// By thread.
        var rights: [String: Right]
    }

    /// Rooms and groups.
    var threads: [String: Thread] = [:]
    var directs: [String: Direct] = [:]
    var blocks: Set<Block> = []
    /// Threads that were deleted and not made again, and are there all the same.
    var deletedButThere: [String] = []
    var sockets: [Socket] = []
    /// By thread and user: whether they are a member, as the last answered change of a worker says, with no unanswered
    /// one after it.
    var answered: [Answered] = []
    /// Likewise whether a user has an invitation.
    var answeredInvitations: [Answered] = []
    /// Likewise whether a user blocks another.
    var answeredBlocks: [Block: Bool] = [:]
    /// Credentials that are void, and were taken by some node.
    var voidButTaken: [String] = []
    /// Outbox entries that are still there.
    var outbox = 0

    struct Answered: Hashable, Sendable {
        var thread: String
        var user: String
        /// Or is invited.
        var isMember: Bool
    }
}
