import ParleyModel
import ParleyWire

/// The members of one thread on one event loop, and their frames in this tick.
final class ThreadMembers {
    let thread: ThreadID
    private(set) var users: [LocalUser] = []
    /// The number of loading users with this thread. The thread stays while it is not zero.
    var pins = 0
    var pending: [SharedFrame] = []
    /// Where the log begins for the users who do not see all of it. Empty in most threads.
    private(set) var starts: [ObjectIdentifier: DeliveryStart] = [:]
    /// The newest membership of the thread.
    private var newest: SharedMembership?

    init(_ thread: ThreadID) {
        self.thread = thread
    }

    var isUnused: Bool { users.isEmpty && pins == 0 }

    /// Returns the membership as an object that members with an equal one share. Most members of a room have the same
    /// role.
    ///
    /// A membership that was read before the newest options of the room gets these.
    func share(_ membership: Membership) -> SharedMembership {
        let known = newest?.membership.options.changes ?? 0
        if membership.options.changes < known, let options = newest?.membership.options {
            return share(membership.with(options: options))
        }
        if let newest, newest.membership == membership { return newest }
        let shared = SharedMembership(membership)
        newest = shared
        return shared
    }

    /// Whether the room has a slow mode.
    var isSlow: Bool { newest.map { $0.membership.options.slowSeconds > 0 } ?? false }

    /// - Returns: `false` if the user is already a member.
    func add(_ user: LocalUser) -> Bool {
        guard !users.contains(where: { $0 === user }) else { return false }
        users.append(user)
        return true
    }

    /// Notes where the log begins for a user.
    func begin(at start: HistoryStart?, for user: LocalUser) {
        guard start != nil || !starts.isEmpty else { return }
        starts[ObjectIdentifier(user)] = start.map { DeliveryStart($0) }
    }

    /// The thread's numbering has started over.
    func renumbered(to epoch: Epoch) {
        for (user, start) in starts { starts[user] = start.renumbered(to: epoch) }
    }

    func remove(_ user: LocalUser) {
        starts[ObjectIdentifier(user)] = nil
        guard let index = users.firstIndex(where: { $0 === user }) else { return }
        users.swapAt(index, users.count - 1)
        users.removeLast()
    }
}
