package import ParleyAccounts
package import ParleyModel

/// Who makes a request. Listeners authenticate, and pass it to those use cases of `Messaging` whose rights, budgets or
/// events depend on more than the user.
package struct Caller: Hashable, Sendable {
    package enum Who: Hashable, Sendable {
        case user(User)
        /// An API key that acts for no user. It may read everything and administer, but not send.
        case backEnd(apiKeyName: String)
    }

    package let who: Who
    /// The connection that asks, which the events that it causes name; `nil` for REST.
    package let origin: ConnectionID?
    /// Whether the listener has taken from the user's budgets already. A socket does so itself, since its commands keep
    /// their order while one of them waits.
    package let isCharged: Bool

    private init(_ who: Who, from origin: ConnectionID?, isCharged: Bool) {
        self.who = who
        self.origin = origin
        self.isCharged = isCharged
    }

    /// The sender of a request.
    package init(_ principal: Principal) {
        switch principal {
        case .user(let identity): self.init(.user(identity.user), from: nil, isCharged: false)
        case .service(let name): self.init(.backEnd(apiKeyName: name), from: nil, isCharged: false)
        }
    }

    /// The user or the guest of a connection, which has charged the command.
    package init(_ user: User, of connection: ConnectionID) {
        self.init(.user(user), from: connection, isCharged: true)
    }

    /// The user whom an adopted event names as its sender. Django has charged its users by its own rules.
    init(adopting user: User) {
        self.init(.user(user), from: nil, isCharged: true)
    }

    /// `nil` for a back end that acts for nobody.
    package var user: User? {
        switch who {
        case .user(let user): user
        case .backEnd: nil
        }
    }

    /// The user who asks for something that only users may do.
    package func requireUser() throws(MessagingError) -> User {
        guard let user else { throw .forbidden("an API key requires X-Parley-User for this") }
        return user
    }
}
