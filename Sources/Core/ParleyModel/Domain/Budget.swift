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
    /// Every other reading request over REST: lists of threads, members and users, and look-ups of single ones.
    case lists
    /// Searches of messages, and exports.
    case searches
    /// Attachments that are read.
    case files
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
    /// The most actions of a kind that one user may have in progress at once on a node; `nil` for no limit.
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
