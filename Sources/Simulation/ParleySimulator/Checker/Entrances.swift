import ParleyModel

/// The ways into threads that the world knows, apart from the database.
struct Entrances {
    struct Link {
        let id: LinkID
        let thread: ThreadID
        let code: String
        /// The number of users who may join; `nil` for any number.
        let bound: Int64?
        /// The users who joined, as they were told.
        var joined: Int64 = 0
        /// Whether a moderator was told that it leads nowhere.
        var isRevoked = false
    }

    /// In the order in which they were made.
    var links: [Link] = []
    /// The number of invitations of a user to a thread, also of calls without an answer.
    var invited: [MemberPlace: Int] = [:]
    /// The number of times that a user was told to have joined by an invitation.
    var accepted: [MemberPlace: Int] = [:]
    /// The users who were invited, or who asked, in the order of the first time.
    var invitees: [MemberPlace] = []
    var askers: [MemberPlace] = []
    /// The direct threads that are known, with their users.
    var directs: [String: (one: SimulatedUser, other: SimulatedUser)] = [:]
    var groups = 0
    /// Whether a membership, a block or the rights in a room may have changed, which every node must know ten seconds after
    /// the last fault.
    var hasChanged = false

    /// The most groups and direct threads of a simulation.
    static let (mostGroups, mostDirects) = (3, 6)
}
