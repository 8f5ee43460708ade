package import ParleyModel

/// Whether a user has a device that is connected.
package struct V1Presence: Hashable, Sendable {
    package var user: UserID
    package var isOnline: Bool
    /// When the user was last connected, Unix seconds; `nil` if that is not known or not for this client to know.
    package var lastSeen: Int64?

    package init(user: UserID, isOnline: Bool, lastSeen: Int64? = nil) {
        self.user = user
        self.isOnline = isOnline
        self.lastSeen = lastSeen
    }
}
