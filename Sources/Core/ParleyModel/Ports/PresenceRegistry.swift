/// Which users are online, over all nodes, as seen by one node.
///
/// A user is online while any live node reports them. A node is alive while it renews its lease; when a node dies, its
/// users go offline at the latest when the lease expires. Changes are published to subscribers of the user's
/// `BusTopic.presence`.
package protocol PresenceRegistry: Sendable {
    /// Reports that this node now has sockets of the user. Never blocks; takes effect within a fraction of a second, or
    /// when the registry can be reached again.
    func connected(_ user: UserID)

    /// Reports that this node has no more sockets of the user; otherwise as `connected`.
    func disconnected(_ user: UserID)

    /// One state for each of these users, unknown users included, in any order.
    func states(of users: [UserID]) async throws(SharedStoreError) -> [UserPresence]

    /// The live leases, by opaque names. A missing lease belongs to a node that has died, or that will report its users
    /// again within a few seconds.
    func leases() async throws(SharedStoreError) -> Set<String>
}

/// Whether a user has a connected device.
package struct UserPresence: Hashable, Sendable {
    package let user: UserID
    package let isOnline: Bool
    /// When the user's last device disconnected, in Unix seconds; `nil` if unknown or forgotten.
    package let lastSeen: Int64?
    /// Microseconds; of two states of one user the one with the higher stamp is newer.
    package let stamp: Int64

    package init(user: UserID, isOnline: Bool, lastSeen: Int64?, stamp: Int64) {
        self.user = user
        self.isOnline = isOnline
        self.lastSeen = lastSeen
        self.stamp = stamp
    }
}
