/// A user's membership in a thread.
package struct Membership: Hashable, Sendable {
    /// The role of a member, with the rights of `MessageRights` and `ThreadRights`.
    package enum Role: String, Hashable, Sendable {
        /// Created the thread.
        case owner
        case moderator
        case member
        case readOnly = "read_only"
    }

    package let thread: ThreadInfo
    package let role: Role
    /// The other member of a direct thread.
    package let peer: User?

    package init(thread: ThreadInfo, role: Role, peer: User? = nil) {
        self.thread = thread
        self.role = role
        self.peer = peer
    }
    /// A user's membership in the direct thread with `peer`, whether the thread exists yet or not.
    package static func direct(of user: UserID, with peer: User) -> Membership {
        let thread = ThreadInfo(id: ThreadInfo.directID(user, peer.id), kind: .direct, title: peer.name)
        return Membership(thread: thread, role: .member, peer: peer)
    }
}
