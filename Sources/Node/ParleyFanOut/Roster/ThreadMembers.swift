import ParleyModel
import ParleyWire

/// The members of one thread on one event loop, and their frames in this tick.
final class ThreadMembers {
    let thread: ThreadID
    private(set) var users: [LocalUser] = []
    /// The number of loading users with this thread. The thread stays while it is not zero.
    var pins = 0
    var pending: [SharedFrame] = []
    /// The newest membership of the thread.
    private var newest: SharedMembership?

    init(_ thread: ThreadID) {
        self.thread = thread
    }

    var isUnused: Bool { users.isEmpty && pins == 0 }

    /// Returns the membership as an object that members with an equal one share. Most members of a room have the same
    /// role.
    func share(_ membership: Membership) -> SharedMembership {
        if let newest, newest.membership == membership { return newest }
        let shared = SharedMembership(membership)
        newest = shared
        return shared
    }

    /// - Returns: `false` if the user is already a member.
    func add(_ user: LocalUser) -> Bool {
        guard !users.contains(where: { $0 === user }) else { return false }
        users.append(user)
        return true
    }

    func remove(_ user: LocalUser) {
        guard let index = users.firstIndex(where: { $0 === user }) else { return }
        users.swapAt(index, users.count - 1)
        users.removeLast()
    }
}
