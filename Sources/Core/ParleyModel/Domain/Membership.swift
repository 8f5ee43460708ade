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
    /// The member's mute in the thread, which may have ended.
    package let mute: Sanction?

    package init(thread: ThreadInfo, role: Role, peer: User? = nil, mute: Sanction? = nil) {
        self.thread = thread
        self.role = role
        self.peer = peer
        self.mute = mute
    }

    /// Returns the member's mute, unless it has ended.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func mute(at now: Int64) -> Sanction? {
        guard let mute, mute.isInForce(at: now) else { return nil }
        return mute
    }

    /// Returns a user's membership in the direct thread with `peer`, whether or not the thread exists yet.
    package static func direct(of user: UserID, with peer: User) -> Membership {
        let thread = ThreadInfo(id: ThreadInfo.directID(user, peer.id), kind: .direct, title: peer.name)
        return Membership(thread: thread, role: .member, peer: peer)
    }
}
