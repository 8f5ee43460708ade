/// How often one user may do something.
package struct Budget: Hashable, Sendable {
    /// Sustained; 0: no limit.
    package var perSecond: Int
    /// At once; at least 1.
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// What a user has a budget for.
package enum BudgetKind: Int, CaseIterable, Hashable, Sendable {
    /// Sends, and whatever else enters a log: edits, deletions, reactions, joins and leaves.
    case sends
    /// Read marks that are kept and told to others.
    case reads
    /// Signs of typing that are told to others.
    case typing
    /// Pages of a thread, over sockets and REST.
    case history
    /// New lists of watched users.
    case watches
    /// Resumes of v1 sockets.
    case resumes
    /// Fresh credentials for open sockets.
    case auths
    case pings

    /// Whether the budget holds over all nodes, since others are told of what it is for; otherwise each node has its own.
    package var isShared: Bool {
        switch self {
        case .sends, .reads, .typing: true
        case .history, .watches, .resumes, .auths, .pings: false
        }
    }

    /// What is told to who is over the budget: too many of these.
    package var plural: String {
        switch self {
        case .sends: "sends"
        case .reads: "read marks"
        case .typing: "signs of typing"
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
