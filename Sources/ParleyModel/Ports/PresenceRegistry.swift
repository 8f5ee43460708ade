/// Who is online, over all nodes; this is one node's end of it.
///
/// A user is online while any living node says so. A node lives as long as it renews its lease; when it has died its
/// users are offline by the time the lease is over. A change is published to those who have subscribed to
/// `BusTopic.presence` of the user.
package protocol PresenceRegistry: Sendable {
    /// This node has sockets of the user from now on. Never blocks; on the board within a fraction of a second, or when
    /// the board can be reached again.
    func appeared(_ user: UserID)

    /// This node has no sockets of the user any more; as `appeared`.
    func vanished(_ user: UserID)

    /// One state for each of these users, in any order; of users that are not known too.
    func states(of users: [UserID]) async throws(SharedStoreError) -> [UserPresence]

    /// The leases that are alive, each by a name that means nothing. One that is gone is a node that has died, or that
    /// will say again within a few seconds who its users are.
    func leases() async throws(SharedStoreError) -> Set<String>
}

/// Whether a user has a device that is connected.
package struct UserPresence: Hashable, Sendable {
    package let user: UserID
    package let isOnline: Bool
    /// When the last device of the user went, Unix seconds; `nil` if that is not known (any more).
    package let lastSeen: Int64?
    /// Microseconds; of two states of one user the one with the higher stamp is the later one.
    package let stamp: Int64

    package init(user: UserID, isOnline: Bool, lastSeen: Int64?, stamp: Int64) {
        self.user = user
        self.isOnline = isOnline
        self.lastSeen = lastSeen
        self.stamp = stamp
    }
}
