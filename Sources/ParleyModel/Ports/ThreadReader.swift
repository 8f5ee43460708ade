/// What a door to sockets reads of the stored threads.
package protocol ThreadReader: Sendable {
    /// The stored log above the seq `after`, at most `limit` events (brought into 1 to `LogPage.maximumLimit`): as it
    /// happened, but for the texts of what is deleted or erased since.
    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(StoreError) -> LogPage

    /// Threads of a user, newest activity first as in `MessageStore.inbox`, those of equal date in the order of thread
    /// ids.
    /// - Parameters:
    ///   - place: the list goes on after it; `nil`: from the beginning.
    ///   - limit: the most threads.
    func threads(of user: UserID, after place: ThreadPlace?, limit: Int) async throws(StoreError) -> [ThreadSummary]
}
