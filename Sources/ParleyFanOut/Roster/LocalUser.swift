package import ParleyModel

/// The state of a user on one event loop, with sockets on it; shared by those sockets, so that an idle one costs
/// little.
///
/// Bound to its event loop.
package final class LocalUser {
    /// The user's memberships are being read.
    final class Loading {
        /// What has arrived on the user's channel meanwhile.
        var changes: [MembershipChange] = []
        /// Called when the memberships are read.
        var waiting: [((any Error)?) -> Void] = []
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
    /// Memberships that are over, of threads whose events still come until the hub ends the leave.
    private(set) var leaving: [Membership] = []
    /// The version of the newest snapshot that was taken over.
    var version: Int64 = 0
    /// Direct threads that no snapshot has had yet: their first message creates them, and the store may not have it
    /// when the snapshot is read.
    private var provisional: Set<ThreadID> = []
    private var directThreads: [String: ThreadID] = [:]
    /// Texts that could be ids too, but were found to be names; at most `maximumNames`.
    private var names: Set<String> = []
    /// `nil` once the memberships are known.
    var loading: Loading? = Loading()
    var sockets = LocalSockets()
    // In an order without gaps: there are many users.
    /// The user does not exist any more; a reservation made before is invalid.
    var isErased = false
    /// How many sockets are about to be registered; the user stays while there is one.
    var reservations: Int32 = 0

    init(_ user: User) {
        self.user = user
    }

    /// The direct thread with the user to whom a reference refers; `nil` also if only the store knows who that is.
    package func directMembership(with reference: UserReference) -> Membership? {
        if let id = reference.id {
            if let membership = memberships[ThreadInfo.directID(user.id, id)] { return membership }
            // Somebody without a thread with this user may have the id.
            guard let name = reference.name, names.contains(name) else { return nil }
        }
        return reference.name.flatMap { directThreads[$0] }.flatMap { memberships[$0] }
    }

    /// No user has this name as an id, as the store has found. Noted until another name needs the room, so that a
    /// conversation does not look its peer up again with every message.
    package func foundByName(_ name: String) {
        if names.count >= Self.maximumNames { names = [] }
        names.insert(name)
    }

    private static let maximumNames = 32

    /// - Parameter isStored: whether a snapshot has it.
    func add(_ shared: SharedMembership, isStored: Bool) {
        let membership = shared.membership
        // The peer of a direct thread may have another name by now.
        remove(membership.thread.id)
        memberships.insert(shared)
        if let peer = membership.peer { directThreads[peer.name] = membership.thread.id }
        if !isStored, membership.thread.kind == .direct { provisional.insert(membership.thread.id) }
    }

    /// A snapshot has the thread, so a later one without it means that the membership is over.
    func confirm(_ thread: ThreadID) {
        if !provisional.isEmpty { provisional.remove(thread) }
    }

    /// Whether a snapshot may lack the thread though the user is a member.
    func isProvisional(_ thread: ThreadID) -> Bool {
        provisional.contains(thread)
    }

    /// The user is not a member any more, and gets what comes until the hub ends the leave.
    package func beginLeaving(_ thread: ThreadID) {
        if let membership = end(thread) { leaving.append(membership) }
    }

    /// - Returns: the former membership, which may have been over; `nil` if there was none.
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
