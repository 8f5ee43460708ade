/// The presence of users on all nodes, as seen by one node.
///
/// A user is online while any live node reports them. A node is live while it renews its lease. When a node dies, its users go
/// offline when the lease expires, at the latest. Changes are published to subscribers of the user's `BusTopic.presence`.
package protocol PresenceRegistry: Sendable {
    /// Reports that this node now has sockets of the user. Never blocks. Takes effect within a fraction of a second, or when
    /// the registry can be reached again.
    func connected(_ user: UserID)

    /// Reports that this node no longer has sockets of the user. Otherwise like `connected`.
    func disconnected(_ user: UserID)

    /// Returns one state for each of these users, in any order. Unknown users are included.
    func states(of users: [UserID]) async throws(SharedStoreError) -> [UserPresence]

    /// The names of the live leases, which are opaque. A missing lease belongs to a node that has died, or that will report its
    /// users again within a few seconds.
    func leases() async throws(SharedStoreError) -> Set<String>
}

/// Whether a user has a connected device.
package struct UserPresence: Hashable, Sendable {
    package let user: UserID
    package let isOnline: Bool
    /// The time at which the user's last device disconnected, in Unix seconds; `nil` if unknown or forgotten.
    package let lastSeen: Int64?
    /// The time of the state in microseconds. Of two states of a user, the one with the higher stamp is newer.
    package let stamp: Int64

    package init(user: UserID, isOnline: Bool, lastSeen: Int64?, stamp: Int64) {
        self.user = user
        self.isOnline = isOnline
        self.lastSeen = lastSeen
        self.stamp = stamp
    }
}
