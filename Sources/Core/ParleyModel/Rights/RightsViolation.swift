/// The reason that a user may not do something in a thread. Listeners report it in their own formats, with these texts.
package enum RightsViolation: Error, Hashable, Sendable, CaseIterable {
    /// The requester is `read_only` in the thread.
    case readOnly
    /// Only the author may edit.
    case notTheAuthor
    /// Only the author, a moderator or the owner may delete.
    case notTheirs
    /// The message is deleted or its author erased, so nothing is left to change.
    case goneMessage
    /// Only the owner is allowed.
    case notTheOwner
    /// Only the owner or a moderator is allowed.
    case notAModerator
    /// A moderator, the owner or an operator has removed the user.
    case removed
    /// The user is banned from the thread.
    case banned
    /// Members cannot sanction themselves.
    case themselves
    /// The two members of a direct thread cannot change.
    case directThread
    /// The room is archived.
    case archived
    /// Only the owner and moderators write in the room.
    case moderatorsWrite
    /// Only the owner and moderators attach files in the room.
    case moderatorsAttach
    /// Only the owner and moderators mention everyone in the room.
    case moderatorsMention
    /// One of the two members of the direct thread blocks the other.
    case blockedDirect
    /// The user and the requester do not add each other, since one of them blocks the other.
    case blockedUser

    /// The rule, as a text for the client.
    package var explanation: String {
        switch self {
        case .readOnly: "your role in this thread is read_only"
        case .notTheAuthor: "only the author may edit a message"
        case .notTheirs: "only the author, a moderator or the owner may delete a message"
        case .goneMessage: "the message was deleted"
        case .notTheOwner: "only the owner of the thread may do this"
        case .notAModerator:
            "only the owner or a moderator may do this, a moderator to members and read_only ones alone"
        case .removed: "you were removed from this thread; a moderator or the owner can add you again"
        case .banned: "the user is banned from this thread; end the ban first"
        case .themselves: "other moderators decide about your own mutes and bans"
        case .directThread: "the members and the name of a direct thread cannot be changed"
        case .archived: "the room is archived"
        case .moderatorsWrite: "only the owner and moderators may write in this room"
        case .moderatorsAttach: "only the owner and moderators may attach files in this room"
        case .moderatorsMention: "only the owner and moderators may mention everyone in this room"
        case .blockedDirect: "no messages are possible between you and this user"
        case .blockedUser: "you cannot add this user"
        }
    }
}
