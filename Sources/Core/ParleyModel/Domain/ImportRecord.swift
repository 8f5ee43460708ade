/// One record of a bulk import, whose ids are chosen by the back end.
package enum ImportRecord: Hashable, Sendable {
    /// - Parameter passwordHash: The hash in Django's notation; `nil` rules out password login.
    case user(User, passwordHash: String?)
    /// - Parameters:
    ///   - visibility: The visibility of a new room. A room that exists keeps its own.
    ///   - history: The history of a new room. A room that exists keeps its own.
    case room(id: ThreadID, title: String, visibility: RoomVisibility = .public, history: RoomHistory = .all)
    /// - Parameter role: The role; `nil` keeps the role of an existing member, and gives a new member the role of their `Restrictions`.
    case member(thread: ThreadID, user: UserReference, role: Membership.Role?)
}

/// The outcome of one `ImportRecord`.
package enum ImportOutcome: Hashable, Sendable {
    /// The user or room was created.
    case added
    /// The user is now a member, has nothing unread, and may read the log after `after`.
    case joined(User, Membership, after: Int64)
    /// The record was already in effect; nothing was changed.
    case unchanged
    case refused(Rejection)

    /// The reason that a record was rejected.
    package enum Rejection: Hashable, Sendable {
        /// The id belongs to a user with another name, or to a thread with another title or kind.
        case idTaken
        /// The name or title is taken.
        case nameTaken
        case unknownThread
        case unknownUser
        /// The thread is direct, so its two members cannot change.
        case directThread
        /// The user is already a member with another role, or may return only as `read_only`.
        case otherRole
        /// A moderator, the owner or an operator has removed the user from the thread.
        case removed
        /// The user is banned from the thread.
        case banned
        /// The name or title contains a character that the database cannot store.
        case unstorable
    }
}
