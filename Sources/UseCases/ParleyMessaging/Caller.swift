package import ParleyAccounts
package import ParleyModel

/// The user who makes a request. Listeners authenticate, and pass it to the use cases of `Messaging`.
///
/// An API key that acts for no user is not a caller: it reads as a `Principal`, and imports as a `BackEnd`. What
/// operators may do requires an `Operator`.
package struct Caller: Hashable, Sendable {
    package let user: User
    /// The user's authentication by REST; `nil` for connections.
    let identity: Identity?
    /// The connection that asks, which the events that it causes name; `nil` for REST.
    let origin: ConnectionID?
    /// Whether the listener has taken from the user's budgets for log commands already. A socket does so itself, since its
    /// commands keep their order while one of them waits.
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

    /// The user or the guest of a connection, which has charged the command.
    package init(_ user: User, of connection: ConnectionID) {
        self.init(user, origin: connection, isCharged: true)
    }

    /// The user whom an adopted event names as its sender. Django has charged its users by its own rules.
    init(adopting user: User) {
        self.init(user, isCharged: true)
    }
}
