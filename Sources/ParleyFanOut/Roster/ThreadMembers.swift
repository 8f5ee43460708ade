import ParleyModel
import ParleyWire

/// The members of one thread on one event loop, and the frames for them in this tick.
final class ThreadMembers {
    let thread: ThreadID
    private(set) var users: [LocalUser] = []
    /// How many users are being loaded with this thread; it stays while there is one.
    var pins = 0
    var pending: [SharedFrame] = []
    /// The newest membership of the thread.
    private var newest: SharedMembership?

    init(_ thread: ThreadID) {
        self.thread = thread
    }

    var isUnused: Bool { users.isEmpty && pins == 0 }

    /// The membership as an object that members with an equal one share: most members of a room have the same role.
    func share(_ membership: Membership) -> SharedMembership {
        if let newest, newest.membership == membership { return newest }
        let shared = SharedMembership(membership)
        newest = shared
        return shared
    }

    /// - Returns: `false` if the user is a member already.
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
