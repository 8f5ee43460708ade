/// One thing that a back end brings with it, under ids of its own.
package enum ImportRecord: Hashable, Sendable {
    /// - Parameter passwordHash: in Django's notation; `nil`: no password, so no login by one.
    case user(User, passwordHash: String?)
    case room(id: ThreadID, title: String)
    /// - Parameters:
    ///   - user: an id, or the name of a user if nobody has that id.
    ///   - role: `nil` leaves a member's as it is and makes a newcomer a `member`.
    case member(thread: ThreadID, user: String, role: Membership.Role?)
}

/// What became of an `ImportRecord`.
package enum ImportOutcome: Hashable, Sendable {
    /// The user or the room was made.
    case added
    /// The user is a member from now on, with nothing unread; the log is theirs to see after `after`.
    case joined(User, Membership, after: Int64)
    /// It is so already; nothing was changed.
    case unchanged
    case refused(Rejection)

    /// Why a record was not carried out.
    package enum Rejection: Hashable, Sendable {
        /// The id is another's: of a user of another name, or of a thread of another title or kind.
        case idTaken
        /// The name, or the title, is another's.
        case nameTaken
        case unknownThread
        case unknownUser
        /// The thread is a direct one, whose two members are who they are.
        case directThread
        /// The user is a member with another role.
        case otherRole
        /// The name or title contains what the database cannot hold.
        case unstorable
    }
}
