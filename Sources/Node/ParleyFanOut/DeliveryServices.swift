package import Logging
package import ParleyModel

/// The services that deliver events to connections: the fan-out of threads, presence, and the watch over changes of
/// users.
package struct DeliveryServices: Sendable {
    package let fanOut: FanOut
    package let presence: PresenceWatch
    package let changes: ChangeWatch

    /// - Parameters:
    ///   - feed: The change feed of the database.
    ///   - isAlive: Returns whether an auth session of a user is still valid.
    ///   - isKey: Returns whether an API key with this hash exists.
    ///   - profiles: Returns the profiles of users; a user without an entry has none.
    package init(
        _ fanOut: FanOut, _ presence: PresenceWatch, feed: any ChangeFeed,
        isAlive: @escaping @Sendable (TokenHash, User) async throws -> Bool,
        isKey: @escaping @Sendable (TokenHash) async throws -> Bool,
        profiles: @escaping @Sendable ([UserID]) async throws -> [UserID: Profile], logger: Logger
    ) {
        self.fanOut = fanOut
        self.presence = presence
        changes = ChangeWatch(
            feed: feed, fanOut: fanOut, isAlive: isAlive, isKey: isKey, profiles: profiles,
            changed: { users in
                if let users { presence.membershipsChanged(of: users) } else { presence.membershipsChanged() }
            }, logger: logger)
    }
}
