/// A user's access to a thread.
package enum ThreadAccess: Hashable, Sendable {
    /// The user is a member, and receives further events of the thread.
    case member(Membership)
    /// The thread exists, but the user is not a member.
    case nonMember
    /// The thread does not exist, or is hidden from the user (`ThreadInfo.isHidden`).
    case unknown
}
