import ParleyConcurrency
import ParleyModel

/// Settings of batching and caching of lookups.
package struct DirectorySettings: Hashable, Sendable {
    /// Maximum number of keys in one query.
    package var batchSize = 500
    /// Maximum number of users in one query for read states: each user has as many rows as threads.
    package var readStatesBatchSize = 100
    /// Minimum time between the starts of two queries of one kind, so that lookups accumulate under load. The first
    /// query after a pause starts at once, and so does a full batch.
    package var tick: Duration = .milliseconds(5)
    /// Maximum number of waiting lookups of one kind; more fail as `unavailable`.
    package var maximumWaiting = 200_000
    /// Cache lifetime of sessions; 0, since a revoked session must be invalid at once on every node, and only nodes
    /// with a socket of the user are notified.
    package var sessionMemory: Duration = .zero
    /// Cache lifetime of users, threads and room titles.
    package var memory: Duration = .seconds(2)
    /// Maximum number of cached entries of one kind. Unknown keys are never cached.
    package var memoryEntries = 10_000

    package init() {}
}

/// Gathers look-ups of one kind into queries of a database.
typealias DirectoryLoader<Key: Hashable & Sendable, Value: Sendable> = BatchLoader<Key, Value, StoreError>

extension BatchLoader where Failure == StoreError {
    /// - Parameter memory: the time that answers are remembered; 0 remembers none.
    convenience init(
        settings: DirectorySettings, memory: Duration, clock: WallClock,
        pause: @escaping @Sendable (Duration) async -> Void, query: @escaping Query
    ) {
        self.init(
            Settings(
                batchSize: settings.batchSize, tick: settings.tick.milliseconds,
                maximumWaiting: settings.maximumWaiting, overflow: .unavailable("too many look-ups are waiting")),
            memory: TTLCache(lifetime: memory.milliseconds, capacity: settings.memoryEntries),
            milliseconds: { clock.milliseconds }, pause: pause, query: query)
    }
}
