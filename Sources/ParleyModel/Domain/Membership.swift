/// A user's place in a thread.
package struct Membership: Hashable, Sendable {
    package enum Role: String, Hashable, Sendable {
        /// Made the thread.
        case owner
        case moderator
        case member
        case readOnly = "read_only"
    }

    package let thread: ThreadInfo
    package let role: Role
    /// In a direct thread, the other of the two.
    package let peer: User?

    package init(thread: ThreadInfo, role: Role, peer: User? = nil) {
        self.thread = thread
        self.role = role
        self.peer = peer
    }
}
