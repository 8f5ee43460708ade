/// What bounds a `RedisLog`.
package struct RedisLogSettings: Hashable, Sendable {
    /// The newest events kept of a thread. There are some more before they are trimmed: up to 15, and those that share a
    /// node of the stream with them, 100 or 4 KiB by Redis' own settings. Only whole nodes are dropped, since of an entry
    /// that is deleted within one the bytes stay there, where `LogWindow` could not redact them any more.
    package var windowEvents = 200
    /// For how long the events of a quiet thread are kept, in seconds.
    package var windowSeconds = 24 * 60 * 60
    /// For how long a send is remembered by its `clientID`, in milliseconds; beyond it the store is asked.
    package var onceMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// For how long after a thread was seeded from the store a `clientID` unknown to Redis is looked for there too, in
    /// milliseconds: Redis may have lost its memory, and outboxes send again.
    package var doubtMilliseconds: Int64 = 10 * 60 * 1000
    /// What the digests of sends are keyed with; all nodes share it.
    package var secret: [UInt8] = []
    /// How long a send waits for the store to say whether it was sent before; then it is let through.
    package var lookupLimit = Duration.seconds(1)
    /// Such questions, of up to `SendQuery.maximumCount` sends each, at the same time.
    package var lookupsAtOnce = 2
    /// Threads whose epoch this node remembers, so that their appends are pipelined.
    package var threads = 50_000
    /// Appends of one thread that wait for another; above it an append is `unavailable`.
    package var waitingPerThread = 1000
    /// Appends that wait for another of their thread or for the store, over all threads.
    package var waiting = 20_000
    /// Questions that the store is asked at the same time.
    package var requestsAtOnce = 16
    /// How often a reader of the ingest stream that found nothing is served again, in milliseconds.
    package var pollMilliseconds: Int64 = 10

    package init() {}
}
