/// What bounds a `MemoryLog`, and when it answers.
package struct MemoryLogSettings: Hashable, Sendable {
    /// When an event counts as accepted.
    package enum Acceptance: Hashable, Sendable {
        /// At the append: it is answered and published at once, and the store follows. What the Redis log does.
        case immediately
        /// When the store has it: an append is answered and published only then, so that a crash of the process loses
        /// nothing that anybody has seen. The embedded default.
        case whenStored
    }

    package var acceptance: Acceptance
    /// Independent parts of the ingest stream; at least 1.
    package var partitions = 1
    /// The newest events kept of a thread; what is below is only in the store.
    package var windowEvents = 200
    /// Threads remembered; above it those not used for longest are forgotten, if all of theirs is stored.
    package var threads = 20_000
    /// Events kept over all threads; as `threads`.
    package var windowEventsInAll = 200_000
    /// Events waiting for the store, over all partitions; above it an append is `unavailable`.
    package var ingestEntries = 100_000
    /// Appends of one thread that wait for an answer of the store; above it an append is `unavailable`.
    package var waitingPerThread = 1000
    /// Appends, repeats and queries that wait for an answer of the store, over all threads.
    package var waiting = 20_000
    /// Sends remembered by their `clientID`, so that a repeat costs no question to the store.
    package var onceEntries = 100_000
    /// For how long a send is remembered, in milliseconds.
    package var onceMilliseconds: Int64 = 24 * 60 * 60 * 1000
    /// Answers and deliveries decided and not yet made; above it an append is `unavailable`.
    package var undelivered = 200_000
    /// Questions that the store is asked at the same time.
    package var requestsAtOnce = 16

    package init(acceptance: Acceptance) {
        self.acceptance = acceptance
    }
}
