/// The data that a log reads from the store: heads of threads and earlier sends that it does not hold itself.
package protocol LogHistory: Sendable {
    /// The end of what is stored of a thread; `nil` if nothing is stored.
    func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead?

    /// The ends of what is stored of threads, without threads that have nothing stored.
    func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead]

    /// The positions up to which partitions are stored; partitions with nothing stored are absent.
    func checkpoints(of partitions: [Partition]) async throws(StoreError) -> [Partition: IngestCheckpoint]

    /// Records the progress of a host of the log. A lower progress than the noted one changes nothing.
    func note(progress: Int64, ofHost host: Int) async throws(StoreError)

    /// The noted progress of a host of the log; 0 if nothing is noted. A host that is behind it has lost events.
    func progress(ofHost host: Int) async throws(StoreError) -> Int64

    /// Looks up sends by sender and `clientID`, all in one query.
    ///
    /// A `clientID` belongs to the first message stored under it, even if its text is gone: the store then compares a
    /// keyed digest.
    /// - Parameter queries: at most `SendQuery.maximumCount`; those without a `clientID` are not found.
    /// - Returns: one element for each query, in order; `nil` if the `clientID` is unused.
    func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?]
}

/// A lookup of an earlier send.
package struct SendQuery: Hashable, Sendable {
    package let thread: ThreadID
    package let message: Message

    /// Maximum number of lookups in one call.
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
    /// Whether thread, text, parts and `replyTo` are the same in the query, which then is a repeat; otherwise it is a
    /// conflict. `false` for a deleted message without a digest under the store's key, since it cannot be compared.
    package var isSame: Bool

    package init(receipt: Receipt, isSame: Bool) {
        self.receipt = receipt
        self.isSame = isSame
    }
}

extension LogHistory {
    /// Default for a history without partitions.
    package func checkpoints(of partitions: [Partition]) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        [:]
    }

    /// Default for a history of a log that has no hosts.
    package func note(progress: Int64, ofHost host: Int) async throws(StoreError) {}

    /// Default for a history of a log that has no hosts.
    package func progress(ofHost host: Int) async throws(StoreError) -> Int64 { 0 }

    /// Default implementation, one by one.
    package func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        var heads: [ThreadID: ThreadHead] = [:]
        for thread in threads { heads[thread] = try await head(of: thread) }
        return heads
    }
}
