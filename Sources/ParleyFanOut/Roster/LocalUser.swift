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
    /// Memberships that are over, of threads whose events still come: until the own `left` has, or a moment is over.
    private(set) var leaving: [Membership] = []
    /// Of the newest snapshot that the memberships have been brought to.
    var version: Int64 = 0
    /// The user is no more; nobody who was let in before takes a place.
    var isErased = false
    /// Direct threads that no snapshot has told of yet: they are made by their first message, which the store may not
    /// have when it is asked.
    private var provisional: Set<ThreadID> = []
    private var directThreads: [String: ThreadID] = [:]
    var state = State.loading(changes: [])
    var sockets: [any RosterMember] = []
    /// Sockets that are about to be there; the user stays as long as there is one.
    var reservations = 0
    /// Who waits for the memberships.
    var waiting: [((any Error)?) -> Void] = []

    init(_ user: User) {
        self.user = user
    }

    /// The direct thread that the user has with the user of this name.
    package func directMembership(withUserNamed name: String) -> Membership? {
        directThreads[name].flatMap { memberships[$0] }
    }

    /// - Parameter isStored: a snapshot says so.
    func add(_ membership: Membership, isStored: Bool) {
        // The other of a direct thread may have another name by now.
        remove(membership.thread.id)
        memberships.insert(membership)
        if let peer = membership.peer { directThreads[peer.name] = membership.thread.id }
        if !isStored, membership.thread.kind == .direct { provisional.insert(membership.thread.id) }
    }

    /// A snapshot tells of the thread, so that one without it means that the membership is over.
    func confirm(_ thread: ThreadID) {
        if !provisional.isEmpty { provisional.remove(thread) }
    }

    /// Whether a snapshot may lack the thread though the user is in it.
    func isProvisional(_ thread: ThreadID) -> Bool {
        provisional.contains(thread)
    }

    /// The user is a member no more, and gets what comes until the hub says that this is all.
    package func beginLeaving(_ thread: ThreadID) {
        if let membership = end(thread) { leaving.append(membership) }
    }

    /// - Returns: what the membership was, which may have been over; `nil` if there is none.
    @discardableResult
    func remove(_ thread: ThreadID) -> Membership? {
        if let membership = end(thread) { return membership }
        guard let index = leaving.firstIndex(where: { $0.thread.id == thread }) else { return nil }
        return leaving.remove(at: index)
    }

    private func end(_ thread: ThreadID) -> Membership? {
        guard let membership = memberships.remove(thread) else { return nil }
        confirm(thread)
        if let peer = membership.peer, directThreads[peer.name] == thread { directThreads[peer.name] = nil }
        return membership
    }
}
