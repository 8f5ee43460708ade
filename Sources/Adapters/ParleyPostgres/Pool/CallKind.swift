package import ParleyStorage

/// The purpose of a store call; the label `kind` of its metrics.
package enum CallKind: String, CaseIterable, Sendable {
    /// Storing a batch of the ingest stream.
    case write
    /// Reading a partition's checkpoint.
    case checkpoint
    /// All threads of a user, or a page of them, which are sorted by their activity.
    case inbox
    /// Reading a page of messages.
    case page
    /// A list of members, rooms or users.
    case list
    case markRead = "mark_read"
    /// A full-text search.
    case search
    /// A part of what a user has sent.
    case export
    /// Queries of a log: heads, and sends that it does not remember.
    case history
    /// `Directory`.
    case lookUp = "look_up"
    /// `AccountStore`.
    case account
    /// Migrations, and the check of the schema.
    case schema

    /// The share of the connections from which these calls take theirs.
    package var callClass: CallClass {
        switch self {
        case .write, .checkpoint: .storing
        case .markRead, .history, .lookUp, .account, .schema: .serving
        case .page, .list: .reading
        case .inbox, .search, .export: .searching
        }
    }
}
