package import ParleyModel

/// What one event loop knows of a user who has sockets on it; shared by those sockets, so that an idle one costs little.
///
/// Bound to its event loop.
package final class LocalUser {
    enum State {
        /// Memberships are being read; what arrives on the user's channel meanwhile is kept.
        case loading(changes: [MembershipChange])
        case ready
    }

    enum MembershipChange {
        case joined(Membership)
        case removed(ThreadID)

        var joined: Membership? {
            if case .joined(let membership) = self { membership } else { nil }
        }
    }

    package let user: User
    package internal(set) var memberships = MembershipTable()
    private var directThreads: [String: ThreadID] = [:]
    var state = State.loading(changes: [])
    var sockets: [any RosterMember] = []
    /// Sockets that are about to be there; the user stays as long as there is one.
    var reservations = 0
    /// Who waits for the memberships.
    var waiting: [(Bool) -> Void] = []

    init(_ user: User) {
        self.user = user
    }

    /// The direct thread that the user has with the user of this name.
    package func directMembership(withUserNamed name: String) -> Membership? {
        directThreads[name].flatMap { memberships[$0] }
    }

    func add(_ membership: Membership) {
        // The other of a direct thread may have another name by now.
        remove(membership.thread.id)
        memberships.insert(membership)
        if let peer = membership.peer { directThreads[peer.name] = membership.thread.id }
    }

    /// - Returns: what the membership was; `nil` if there is none.
    @discardableResult
    func remove(_ thread: ThreadID) -> Membership? {
        guard let membership = memberships.remove(thread) else { return nil }
        if let peer = membership.peer, directThreads[peer.name] == thread { directThreads[peer.name] = nil }
        return membership
    }
}
