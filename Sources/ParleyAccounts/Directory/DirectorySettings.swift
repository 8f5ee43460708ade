/// How look-ups are gathered and remembered.
package struct DirectorySettings: Hashable, Sendable {
    /// The most keys of one query.
    package var batchSize = 500
    /// The most users of one query for standings: to each belong as many rows as they have threads.
    package var readStatesBatchSize = 100
    /// Under load, a query of one kind begins at most once in this time, so that look-ups gather. The first after a
    /// rest goes at once, and so does a full batch.
    package var tick: Duration = .milliseconds(5)
    /// The most look-ups of one kind that wait; more are `unavailable`.
    package var maximumWaiting = 200_000
    /// How long sessions are remembered; 0, since a revoked session must be void at once on every node, and only
    /// nodes with a socket of the user hear of it.
    package var sessionMemory: Duration = .zero
    /// How long users, threads and titles of rooms are remembered.
    package var memory: Duration = .seconds(2)
    /// The most entries remembered of one kind. That a key is unknown is never remembered.
    package var memoryEntries = 10_000

    package init() {}
}
