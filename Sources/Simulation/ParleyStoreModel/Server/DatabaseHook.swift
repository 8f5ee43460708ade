package import ParleyModel

/// Decides what happens to each call of a `ModelDatabase`: delays, outages, and answers that are lost.
package protocol DatabaseHook: Sendable {
    /// Called before a transaction. It may wait.
    /// - Throws: if the database cannot be reached; nothing happens then.
    func before(_ call: DatabaseCall) async throws(StoreError) -> DatabaseCall.Course

    /// Called when a transaction has ended, before its caller has the answer. It may wait.
    /// - Throws: if the answer is lost.
    func after(_ call: DatabaseCall) async throws(StoreError)
}

/// One transaction of a call; some calls consist of several.
package struct DatabaseCall: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Storing batches of the ingest stream.
        case write
        /// Checkpoints, and the progress of the hosts of the log.
        case checkpoint
        case markRead = "mark_read"
        /// Pages, lists and searches of messages, and threads of a user.
        case page
        /// Look-ups of a log: heads, sends and messages.
        case history
        /// `Directory` and `ChangeFeed`.
        case lookUp = "look_up"
        /// Changes of state.
        case state
        /// Accounts, sessions, imports and lists of operators.
        case account
        case outbox
        /// Claims and steps of cleanups.
        case cleanup
        case attachment
        case time
        /// `PartitionLocks`.
        case locks
    }

    /// The fate of a transaction.
    package enum Course: Hashable, Sendable {
        case run
        /// It runs, but the connection is lost before it commits. Its ids are used up.
        case rollBack(StoreError)
    }

    /// The caller, such as the name of a node.
    package let client: String
    package let kind: Kind
    /// Whether the transaction may change something.
    package let isWrite: Bool
}
