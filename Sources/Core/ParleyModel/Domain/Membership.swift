/// A user's membership in a thread.
package struct Membership: Hashable, Sendable {
    /// The role of a member. `MessageRights` and `ThreadRights` define its rights.
    package enum Role: String, Hashable, Sendable {
        /// The creator of the thread.
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
    /// Returns a user's membership in the direct thread with `peer`, whether or not the thread exists yet.
    package static func direct(of user: UserID, with peer: User) -> Membership {
        let thread = ThreadInfo(id: ThreadInfo.directID(user, peer.id), kind: .direct, title: peer.name)
        return Membership(thread: thread, role: .member, peer: peer)
    }
}
