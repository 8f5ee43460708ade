/// The purpose of a store call; the label `kind` of its metrics.
package enum CallKind: String, CaseIterable, Sendable {
    /// Storing a batch of the ingest stream.
    case write
    /// Reading a partition's checkpoint.
    case checkpoint
    case inbox
    /// Reading a page of messages.
    case page
    case markRead = "mark_read"
    /// A full-text search.
    case search
    /// Queries of a log: heads, and sends that it does not remember.
    case history
    /// `Directory`.
    case lookUp = "look_up"
    /// `AccountStore`.
    case account
    /// Migrations, and the check of the schema.
    case schema
}
