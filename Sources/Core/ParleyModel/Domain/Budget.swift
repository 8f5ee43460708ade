/// A rate limit for one user and one kind of action.
package struct Budget: Hashable, Sendable {
    /// The sustained rate; 0 means no limit.
    package var perSecond: Int
    /// The maximum burst; at least 1.
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The kinds of action that have a budget.
package enum BudgetKind: Int, CaseIterable, Hashable, Sendable {
    /// Sends and all other events that enter a log: edits, deletions, reactions, joins and leaves.
    case sends
    /// Read marks that are stored and published to others.
    case reads
    /// Typing indicators that are published to others.
    case typing
    /// Pages of a thread's history, over WebSockets and REST.
    case history
    /// All other read requests over REST: lists of threads, members and users, and single look-ups.
    case lists
    /// Message searches and exports.
    case searches
    /// Downloads of attachments.
    case files
    /// Replacements of the list of watched users.
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
        case .lists: "lists"
        case .searches: "searches"
        case .files: "attachments"
        case .watches: "watch commands"
        case .resumes: "resumes"
        case .auths: "auth commands"
        case .pings: "pings"
        }
    }
}

extension Limits {
    /// The maximum number of actions of a kind that one user may have in progress on a node; `nil` for no limit.
    package func atOnce(of kind: BudgetKind) -> Int? {
        let most =
            switch kind {
            case .lists: listsAtOnce
            case .searches: searchesAtOnce
            case .sends, .reads, .typing, .history, .files, .watches, .resumes, .auths, .pings: 0
            }
        return most > 0 ? most : nil
    }

    package func budget(of kind: BudgetKind) -> Budget {
        switch kind {
        case .sends: Budget(perSecond: sendsPerSecond, burst: sendsBurst)
        case .reads: reads
        case .typing: typing
        case .history: history
        case .lists: lists
        case .searches: searches
        case .files: files
        case .watches: Budget(perSecond: 5, burst: 20)
        case .resumes: Budget(perSecond: 10, burst: 100)
        case .auths: Budget(perSecond: 1, burst: 10)
        case .pings: Budget(perSecond: 50, burst: 100)
        }
    }
}

/// The decision of a rate limit about one action.
package enum Permit: Hashable, Sendable {
    /// The action is allowed, and a token was taken.
    case granted
    /// The action is not allowed. Retry after this many microseconds.
    case wait(microseconds: Int64)
    /// A reply from the shared store is pending. Retry after `moment`.
    case requested

    /// The delay before a retry while a reply is pending, in microseconds.
    package static let moment: Int64 = 1000
}
