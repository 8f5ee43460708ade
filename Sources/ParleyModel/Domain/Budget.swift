/// A rate limit for one user and one kind of action.
package struct Budget: Hashable, Sendable {
    /// Sustained rate; 0 means no limit.
    package var perSecond: Int
    /// Maximum burst; at least 1.
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The kinds of action that have a budget.
package enum BudgetKind: Int, CaseIterable, Hashable, Sendable {
    /// Sends, and everything else that enters a log: edits, deletions, reactions, joins and leaves.
    case sends
    /// Read marks that are stored and published to others.
    case reads
    /// Typing indicators that are published to others.
    case typing
    /// Pages of a thread, over WebSockets and REST.
    case history
    /// New lists of watched users.
    case watches
    /// Resumes of v1 sockets.
    case resumes
    /// Fresh credentials presented on open sockets.
    case auths
    case pings

    /// The plural noun in the error "too many …" for clients.
    package var plural: String {
        switch self {
        case .sends: "sends"
        case .reads: "read marks"
        case .typing: "typing notifications"
        case .history: "pages"
        case .watches: "watch commands"
        case .resumes: "resumes"
        case .auths: "auth commands"
        case .pings: "pings"
        }
    }
}

extension Limits {
    package func budget(of kind: BudgetKind) -> Budget {
        switch kind {
        case .sends: Budget(perSecond: sendsPerSecond, burst: sendsBurst)
        case .reads: reads
        case .typing: typing
        case .history: history
        case .watches: Budget(perSecond: 5, burst: 20)
        case .resumes: Budget(perSecond: 10, burst: 100)
        case .auths: Budget(perSecond: 1, burst: 10)
        case .pings: Budget(perSecond: 50, burst: 100)
        }
    }
}

/// The answer of a rate limit to one action.
package enum Permit: Hashable, Sendable {
    /// Allowed; one token was taken.
    case granted
    /// Not allowed; retry after this many microseconds.
    case wait(microseconds: Int64)
    /// A reply from the shared store is pending; retry after `moment`.
    case requested

    /// Delay before the next try when a reply is pending, in microseconds.
    package static let moment: Int64 = 1000
}
