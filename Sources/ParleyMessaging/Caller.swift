package import ParleyAccounts
package import ParleyModel

/// Who asks for something. Listeners authenticate and pass it with each use case of `Messaging`.
package struct Caller: Hashable, Sendable {
    package var principal: Principal
    /// The connection that asks, which the events that it causes name; `nil` for REST.
    package var origin: ConnectionID?
    /// Whether the listener has taken from the user's budgets already: a socket does so itself, since its commands keep
    /// their order while one of them waits.
    package var isCharged: Bool

    package init(_ principal: Principal, from origin: ConnectionID? = nil, isCharged: Bool = false) {
        self.principal = principal
        self.origin = origin
        self.isCharged = isCharged
    }

    /// The user who asks; `nil` for a back end that acts for nobody.
    package var user: User? {
        switch principal {
        case .user(let identity): identity.user
        case .service: nil
        }
    }
}
