/// The limits of a `RedisLog`.
package struct RedisLogSettings: Hashable, Sendable {
    /// The number of newest events kept per thread. Before a trim there may be up to 15 more, and the other events in
    /// the same node of the stream: 100 entries or 4 KiB by Redis' default settings. Only whole nodes are dropped,
    /// since the bytes of an entry deleted within a node remain there, where `LogWindow` could not redact them.
    package var windowEvents = 200
    /// The time for which the events of an inactive thread are kept, in seconds.
    package var windowSeconds = 24 * 60 * 60
    /// The time for which a send is remembered by its `clientID`, in milliseconds; beyond that the store is queried.
    package var onceMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// The doubt period after a thread was seeded from the store, in milliseconds. Within it a `clientID` unknown to
    /// Redis is looked up in the store as well: Redis may have lost its data, and clients send again.
    package var doubtMilliseconds: Int64 = 10 * 60 * 1000
    /// The key of the digests of sends; shared by all nodes.
    package var secret: [UInt8] = []
    /// The time that a send waits for the store to report whether it was sent before; then it is let through.
    package var lookupLimit = Duration.seconds(1)
    /// The time that an append waits for the check of its thread in a new incarnation of Redis; then a new epoch
    /// begins.
    package var checkLimit = Duration.seconds(2)
    /// The interval at which the progress of a host is noted in the store (`HostProgress`): a loss within this time
    /// after a note can go unnoticed.
    package var progressDelay = Duration.seconds(1)
    /// The number of concurrent store queries for sends, of up to `SendQuery.maximumCount` sends each.
    package var lookupsAtOnce = 2
    /// The number of threads whose epoch this node remembers, so that their appends are pipelined.
    package var threads = 50_000
    /// The number of appends of one thread that wait for another; above it an append fails as `unavailable`.
    package var waitingPerThread = 1000
    /// The number of appends that wait for another of their thread or for the store, over all threads.
    package var waiting = 20_000
    /// The number of concurrent store queries for ends of threads.
    package var requestsAtOnce = 16
    /// The time that events wait in the ingest streams, so that they are stored together with others; at least 10 ms.
    package var storeDelay = Duration.milliseconds(250)
    /// The delay of a read after a sender has begun to wait for `stored`, if it is shorter.
    package var awaitedStoreDelay = Duration.milliseconds(40)

    package init() {}
}
