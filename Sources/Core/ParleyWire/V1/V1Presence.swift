package import ParleyModel

/// Whether a user has a connected device.
package struct V1Presence: Hashable, Sendable {
    package var user: UserID
    package var isOnline: Bool
    /// When the user was last connected, in Unix seconds; `nil` if unknown or hidden from this client.
    package var lastSeen: Int64?

    package init(user: UserID, isOnline: Bool, lastSeen: Int64? = nil) {
        self.user = user
        self.isOnline = isOnline
        self.lastSeen = lastSeen
    }
}
