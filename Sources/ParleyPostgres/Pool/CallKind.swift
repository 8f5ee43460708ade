/// What a call to the store is about; the label `kind` of its metrics.
package enum CallKind: String, CaseIterable, Sendable {
    /// A batch of the ingest stream.
    case write
    /// How far a partition is stored.
    case checkpoint
    case inbox
    /// A page of messages.
    case page
    case markRead = "mark_read"
    /// A search in texts.
    case search
    /// What a log asks: heads, and sends it does not remember.
    case history
    /// `Directory`.
    case lookUp = "look_up"
    /// `AccountStore`.
    case account
    /// Migrations, and whether they are done.
    case schema
}
