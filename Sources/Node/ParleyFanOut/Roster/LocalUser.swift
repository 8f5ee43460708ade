package import ParleyModel
import ParleyWire

/// The blocks of a user who has some, so that others need no space for them.
private final class BlocksBox {
    let blocks: UserBlocks

    init(_ blocks: UserBlocks) {
        self.blocks = blocks
    }
}

/// The state of a user with sockets on one event loop. The sockets share it, so an idle socket is cheap.
///
/// The object is bound to its event loop.
package final class LocalUser {
    /// The state of a user whose memberships are being read.
    final class Loading {
        /// The changes from the user's channel in the meantime.
        var changes: [MembershipChange] = []
        /// Called when the memberships are read.
        var waiting: [((any Error)?) -> Void] = []
        /// The display name that was announced in the meantime, which is newer than the snapshot.
        var displayName: String??
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
    /// The display name, for the messages that the user sends; `nil` if it equals the username.
    package private(set) var displayName: String?
    /// Ended memberships of threads whose events are still delivered until the hub ends the leave.
    private(set) var leaving: [Membership] = []
    /// The version of the newest applied snapshot.
    var version: Int64 = 0
    /// Direct threads that no snapshot has contained yet. Their first message creates them, and the store may lack it
    /// when the snapshot is read.
    private var provisional: Set<ThreadID> = []
    private var directThreads: [String: ThreadID] = [:]
    /// Texts that could be IDs and were found to be names; at most `maximumNames`.
    private var names: Set<String> = []
    /// `nil` once the memberships are known.
    var loading: Loading? = Loading()
    var sockets = LocalSockets()
    /// The blocks that concern the user; `nil` for none, which most users have.
    private var blocked: BlocksBox?
    // The order of these properties leaves no gaps in memory, because there are many users.
    /// Whether the user was erased. Earlier reservations are invalid.
    var isErased = false
    /// The number of sockets about to be registered. The user stays while it is not zero.
    var reservations: Int32 = 0

    init(_ user: User) {
        self.user = user
    }

    /// The blocks that concern the user.
    package var blocks: UserBlocks { blocked?.blocks ?? .none }

    /// Whether the user does not see another user's typing in one of the frames.
    func hidesTyping(in frames: [SharedFrame]) -> Bool {
        guard let blocks = blocked?.blocks else { return false }
        return frames.contains { $0.typist.map(blocks.hides) ?? false }
    }

    /// Returns the frames without the typing that the user does not see.
    func shown(_ frames: [SharedFrame]) -> [SharedFrame] {
        guard let blocks = blocked?.blocks else { return frames }
        return frames.filter { !($0.typist.map(blocks.hides) ?? false) }
    }

    /// - Returns: Whether the users that the user blocks have changed.
    func setBlocks(_ blocks: UserBlocks) -> Bool {
        let before = self.blocks
        guard blocks != before else { return false }
        blocked = blocks.isEmpty ? nil : BlocksBox(blocks)
        return blocks.made != before.made
    }

    /// Returns the direct thread with the referenced user; also `nil` if only the store can resolve the reference.
    package func directMembership(with reference: UserReference) -> Membership? {
        if let id = reference.id {
            if let membership = memberships[ThreadInfo.directID(user.id, id)] { return membership }
            // Another user, without a thread with this user, may have the ID.
            guard let name = reference.name, names.contains(name) else { return nil }
        }
        return reference.name.flatMap { directThreads[$0] }.flatMap { memberships[$0] }
    }

    /// Notes that the store has no user with this name as an ID, until another name needs the space. A conversation
    /// therefore does not look up its peer again for every message.
    package func foundByName(_ name: String) {
        if names.count >= Self.maximumNames { names = [] }
        names.insert(name)
    }

    private static let maximumNames = 32

    /// - Parameter isStored: Whether a snapshot contains the membership.
    func add(_ shared: SharedMembership, isStored: Bool) {
        let membership = shared.membership
        // The peer of a direct thread may have a new name.
        remove(membership.thread.id)
        memberships.insert(shared)
        if let peer = membership.peer { directThreads[peer.name] = membership.thread.id }
        if !isStored, membership.thread.kind == .direct { provisional.insert(membership.thread.id) }
    }

    /// Puts a membership in the place of the user's present one in the thread.
    func replace(_ shared: SharedMembership) {
        memberships.insert(shared)
    }

    /// Notes the newest display name.
    func rename(to displayName: String?) {
        self.displayName = displayName
        loading?.displayName = .some(displayName)
    }

    /// Notes that a snapshot contains the thread. If a later snapshot lacks it, the membership has ended.
    func confirm(_ thread: ThreadID) {
        if !provisional.isEmpty { provisional.remove(thread) }
    }

    /// Whether a snapshot may lack the thread although the user is a member.
    func isProvisional(_ thread: ThreadID) -> Bool {
        provisional.contains(thread)
    }

    /// Ends a membership. The user receives events until the hub ends the leave.
    package func beginLeaving(_ thread: ThreadID) {
        if let membership = end(thread) { leaving.append(membership) }
    }

    /// - Returns: The former membership, which may have ended earlier; `nil` if there was none.
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
