package import ParleyModel

extension ClassicSession {
    /// The facts that a send needs in order to begin. The owner answers with `Facts`, and fills in only what is needed.
    package struct Query: Hashable, Sendable {
        /// The target whose membership is needed: a thread, or the user's direct thread with the named user.
        package enum Target: Hashable, Sendable {
            case thread(ThreadID)
            /// A text that names a user, by an id or a name.
            case peer(name: String)
        }

        /// Take a token of the user's budget of sends.
        package let needsPermit: Bool
        package let target: Target
    }

    /// The owner's answer to a `Query`, given when a send begins.
    package struct Facts: Hashable, Sendable {
        package let permit: Permit
        /// The user's membership of the target; `nil` if there is none here, or if the named user must be looked up
        /// first.
        package let membership: Membership?

        package init(permit: Permit, membership: Membership?) {
            self.permit = permit
            self.membership = membership
        }
    }
}

extension WaitingSend.Target {
    /// The target whose membership decides whether the user may send.
    var queried: ClassicSession.Query.Target {
        switch self {
        case .thread(let thread): .thread(thread)
        case .peer(let name): .peer(name: name)
        case .member(let known): .thread(known.thread.id)
        }
    }
}
