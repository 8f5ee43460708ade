/// A user's access to a thread.
package enum ThreadAccess: Hashable, Sendable {
    /// A member; further events of the thread are delivered.
    case member(Membership)
    /// The thread exists, but the user is not a member.
    case nonMember
    /// No such thread, or one that is hidden from the user (`ThreadInfo.isHidden`).
    case unknown
}
