import ParleyModel

/// The messages about which users were notified, until they are read.
struct NotifiedThreads {
    /// The maximum number of users. Beyond it those notified first are forgotten, and keep what they show.
    private static let maximumUsers = 10_000

    private var seqs: [UserID: [ThreadID: Int64]] = [:]
    private var order: [UserID] = []

    mutating func note(_ user: UserID, _ thread: ThreadID, _ seq: Int64) {
        if seqs[user] == nil { order.append(user) }
        seqs[user, default: [:]][thread] = seq
        if order.count > Self.maximumUsers { seqs[order.removeFirst()] = nil }
    }

    /// The next users to look at, in turns.
    mutating func next(_ count: Int) -> [UserID] {
        let users = Array(order.prefix(count))
        order = order.dropFirst(count) + users
        return users
    }

    /// Forgets a thread of a user that was read.
    /// - Returns: Whether there was a message in it about which the user was notified.
    mutating func isRead(_ user: UserID, _ thread: ThreadID, through seq: Int64) -> Bool {
        guard let noted = seqs[user]?[thread], noted <= seq else { return false }
        seqs[user]?[thread] = nil
        if seqs[user]?.isEmpty == true {
            seqs[user] = nil
            order.removeAll { $0 == user }
        }
        return true
    }
}
