package import ParleyAccounts
package import ParleyModel

/// The user who makes a request. Listeners authenticate the user, and pass the caller to the use cases of `Messaging`.
///
/// An API key that does not act for a user is not a caller: it reads as a `Principal`, and imports as a `BackEnd`. The actions
/// of operators require an `Operator`.
package struct Caller: Hashable, Sendable {
    package let user: User
    /// The user's display name, for their messages; `nil` if it equals the username. Connections have it at hand.
    var displayName: String?
    /// The user's authentication by REST; `nil` for connections.
    let identity: Identity?
    /// The connection that makes the request, which the resulting events contain; `nil` for REST.
    let origin: ConnectionID?
    /// Whether the listener has already charged log commands to the user's budgets. A socket does so itself, since its commands
    /// keep their order while one of them waits.
    let isCharged: Bool

    private init(_ user: User, identity: Identity? = nil, origin: ConnectionID? = nil, isCharged: Bool) {
        self.user = user
        self.identity = identity
        self.origin = origin
        self.isCharged = isCharged
    }

    /// The sender of a request.
    package init(_ identity: Identity) {
        self.init(identity.user, identity: identity, isCharged: false)
    }

    /// Makes the caller for a user or guest of a connection that has charged the command.
    package init(_ user: User, displayName: String? = nil, of connection: ConnectionID) {
        self.init(user, origin: connection, isCharged: true)
        self.displayName = displayName
    }

    /// Makes the caller for the user that an adopted event names as its sender. Django charges its users by its own rules.
    init(adopting user: User, displayName: String?) {
        self.init(user, isCharged: true)
        self.displayName = displayName
    }
}
