/// The limits of a `MemoryLog`, and when it accepts events.
package struct MemoryLogSettings: Hashable, Sendable {
    /// When an event counts as accepted.
    package enum Acceptance: Hashable, Sendable {
        /// At the append: it is completed and published at once, and stored later, as in the Redis log.
        case immediately
        /// When it is stored: an append is completed and published only then, so that a crash of the process loses no
        /// visible event. The embedded default.
        case whenStored
    }

    package var acceptance: Acceptance
    /// With `.whenStored`: whether appends that wait for a store are refused when it is unavailable. Only for a store
    /// that has then surely committed nothing; otherwise they wait until it has decided.
    package var refusesUnstored = false
    /// The number of independent parts of the ingest stream; at least 1.
    package var partitions = 1
    /// The number of newest events kept per thread; older ones are read from the store.
    package var windowEvents = 200
    /// The number of threads remembered. Above it the least recently used ones are forgotten if all their events are
    /// stored.
    package var threads = 20_000
    /// The number of events kept over all threads; enforced as `threads` is.
    package var windowEventsInAll = 200_000
    /// The number of events not yet stored, over all partitions; above it an append fails as `unavailable`.
    package var ingestEntries = 100_000
    /// The number of appends of one thread that wait for a reply of the store; above it an append fails as
    /// `unavailable`.
    package var waitingPerThread = 1000
    /// The number of appends, repeats and queries that wait for a reply of the store, over all threads.
    package var waiting = 20_000
    /// The number of sends remembered by their `clientID`, so that a repeat needs no store query.
    package var idempotencyEntries = 100_000
    /// The time that a send is remembered, in milliseconds.
    package var idempotencyMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// For how long after a thread with events was read from the store no `clientID` proves that it is new, in
    /// milliseconds: sends of an earlier process are not remembered, and clocks of clients may have been ahead.
    package var doubtMilliseconds: Int64 = 10 * 60 * 1000
    /// The number of completions and deliveries not yet performed; above it an append fails as `unavailable`.
    package var undelivered = 200_000
    /// The number of concurrent store queries.
    package var requestsAtOnce = 16

    package init(acceptance: Acceptance) {
        self.acceptance = acceptance
    }
}
