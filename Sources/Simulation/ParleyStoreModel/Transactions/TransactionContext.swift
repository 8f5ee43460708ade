import ParleyModel
import ParleyStorage

/// The circumstances of a transaction besides the tables.
struct TransactionContext: Sendable {
    /// The database's clock, in Unix milliseconds.
    let now: Int64
    /// The key of the digests of deleted messages.
    let contentKey: ContentKey?
}
