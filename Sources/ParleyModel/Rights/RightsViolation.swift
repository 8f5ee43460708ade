/// Why somebody may not do something in a thread. The doors say it in their own shapes, with these words.
package enum RightsViolation: Error, Hashable, Sendable, CaseIterable {
    /// Whoever asks is `read_only` in the thread.
    case readOnly
    /// Only the author may edit.
    case notTheAuthor
    /// Only the author, a moderator or the owner may delete.
    case notTheirs
    /// The message is deleted or its author erased: there is nothing left to change.
    case goneMessage
    /// Only the owner may.
    case notTheOwner
    /// Only the owner or a moderator may.
    case notAModerator
    /// The two members of a direct thread are who they are.
    case directThread

    /// What is allowed, for the client.
    package var explanation: String {
        switch self {
        case .readOnly: "your role in this thread is read_only"
        case .notTheAuthor: "only the author may edit a message"
        case .notTheirs: "only the author, a moderator or the owner may delete a message"
        case .goneMessage: "the message was deleted"
        case .notTheOwner: "only the owner of the thread may do this"
        case .notAModerator:
            "only the owner or a moderator may do this, a moderator to members and read_only ones alone"
        case .directThread: "the members and the name of a direct thread cannot be changed"
        }
    }
}
