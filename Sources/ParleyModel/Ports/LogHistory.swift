/// What a log asks of the store about threads and sends that it does not remember.
package protocol LogHistory: Sendable {
    /// The end of what is stored of a thread; `nil` if nothing is.
    func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead?

    /// The ends of what is stored of threads, without those of which nothing is.
    func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead]

    /// Looks for sends by sender and `clientID`, all of them in one question.
    ///
    /// A `clientID` belongs to the first message that was stored under it, even if its text is gone since: the store then
    /// compares by a keyed digest.
    /// - Parameter queries: at most `SendQuery.maximumCount`; those without a `clientID` are not found.
    /// - Returns: one answer for each query, in their order; `nil` if the `clientID` is not used.
    func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?]
}

/// A send that the store is asked for.
package struct SendQuery: Hashable, Sendable {
    package let thread: ThreadID
    package let message: Message

    /// The most queries of one question.
    package static let maximumCount = 1000

    package init(thread: ThreadID, message: Message) {
        self.thread = thread
        self.message = message
    }
}

/// What the store has under the sender and `clientID` of a `SendQuery`.
package struct StoredSend: Hashable, Sendable {
    /// Of the first use; `isRepeat` is set.
    package var receipt: Receipt
    /// Its thread, text, parts and `replyTo` were those of the query, which is a repeat then; otherwise the query is a
    /// conflict. Of a message that was deleted before the store kept digests nobody can tell: it counts as another one.
    package var isSame: Bool

    package init(receipt: Receipt, isSame: Bool) {
        self.receipt = receipt
        self.isSame = isSame
    }
}

extension LogHistory {
    /// One after the other.
    package func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        var heads: [ThreadID: ThreadHead] = [:]
        for thread in threads { heads[thread] = try await head(of: thread) }
        return heads
    }
}
