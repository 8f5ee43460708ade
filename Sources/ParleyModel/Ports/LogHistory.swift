/// What a log asks of the store about threads and sends that it does not remember.
package protocol LogHistory: Sendable {
    /// The end of what is stored of a thread; `nil` if nothing is.
    func head(of thread: ThreadID) async throws(StoreError) -> ThreadHead?

    /// The ends of what is stored of threads, without those of which nothing is.
    func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead]

    /// The stored message that `sender` sent as `clientID`, if there is one.
    func message(from sender: UserID, clientID: String) async throws(StoreError) -> LogEvent?
}

extension LogHistory {
    /// One after the other.
    package func heads(of threads: [ThreadID]) async throws(StoreError) -> [ThreadID: ThreadHead] {
        var heads: [ThreadID: ThreadHead] = [:]
        for thread in threads { heads[thread] = try await head(of: thread) }
        return heads
    }
}
