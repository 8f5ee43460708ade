/// The data that a log reads from the store: heads of threads, and earlier sends that the log itself no longer holds.
package protocol LogHistory: Sendable {
    /// The end of a thread's stored log; `nil` if nothing is stored.
    func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead?

    /// The ends of the stored logs of threads. Threads with nothing stored are missing.
    func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead]

    /// The positions up to which partitions are stored. Partitions with nothing stored are missing.
    func checkpoints(of partitions: [Partition]) async throws(StoreError) -> [Partition: IngestCheckpoint]

    /// Records the progress of a log host. A lower value than the recorded one has no effect.
    func note(progress: Int64, ofHost host: Int) async throws(StoreError)

    /// The recorded progress of a log host; 0 if nothing is recorded. A host that is behind it has lost events.
    func progress(ofHost host: Int) async throws(StoreError) -> Int64

    /// Looks up sends by sender and `clientID` in a single query.
    ///
    /// A `clientID` belongs to the first message stored under it, even if the text of that message is gone. In that case the
    /// store compares a keyed digest.
    /// - Parameter queries: At most `SendQuery.maximumCount`. Queries without a `clientID` find nothing.
    /// - Returns: one element for each query, in order; `nil` if the `clientID` is unused.
    func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?]
}

/// A lookup of an earlier send.
package struct SendQuery: Hashable, Sendable {
    package let thread: ThreadID
    package let message: Message

    /// The maximum number of lookups in one call.
    package static let maximumCount = 1000

    package init(thread: ThreadID, message: Message) {
        self.thread = thread
        self.message = message
    }
}

/// The send that is stored under the sender and `clientID` of a `SendQuery`.
package struct StoredSend: Hashable, Sendable {
    /// The receipt of the first use; `isRepeat` is set.
    package var receipt: Receipt
    /// Whether the query has the same thread, text, parts and `replyTo`. If so, the query is a repeat, otherwise a conflict.
    /// `false` for a deleted message without a digest under the store's key, since it cannot be compared.
    package var isSame: Bool

    package init(receipt: Receipt, isSame: Bool) {
        self.receipt = receipt
        self.isSame = isSame
    }
}

extension LogHistory {
    /// Default implementation for a history without partitions.
    package func checkpoints(of partitions: [Partition]) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        [:]
    }

    /// Default implementation for a history of a log without hosts.
    package func note(progress: Int64, ofHost host: Int) async throws(StoreError) {}

    /// Default implementation for a history of a log without hosts.
    package func progress(ofHost host: Int) async throws(StoreError) -> Int64 { 0 }

    /// Default implementation that reads heads one by one.
    package func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        var heads: [ThreadID: ThreadHead] = [:]
        for thread in threads { heads[thread] = try await head(of: thread) }
        return heads
    }
}
