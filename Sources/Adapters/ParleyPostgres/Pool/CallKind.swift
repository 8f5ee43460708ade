package import ParleyStorage

/// The purpose of a store call, which is the label `kind` in its metrics.
package enum CallKind: String, CaseIterable, Sendable {
    /// Storing a batch of the ingest stream.
    case write
    /// Reading a partition's checkpoint.
    case checkpoint
    /// Reading all threads of a user, or a page of them, sorted by activity.
    case inbox
    /// Reading a page of messages.
    case page
    /// Listing members, rooms or users.
    case list
    case markRead = "mark_read"
    /// Full-text search.
    case search
    /// Exporting a part of a user's messages.
    case export
    /// Queries by a log: heads, and sends that the log does not remember.
    case history
    /// Calls of `Directory`.
    case lookUp = "look_up"
    /// Calls of `AccountStore`.
    case account
    /// Migrations and checks of the schema.
    case schema

    /// The class of calls that determines the share of connections for this kind.
    package var callClass: CallClass {
        switch self {
        case .write, .checkpoint: .storing
        case .markRead, .history, .lookUp, .account, .schema: .serving
        case .page, .list: .reading
        case .inbox, .search, .export: .searching
        }
    }
}
