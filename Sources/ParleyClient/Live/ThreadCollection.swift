/// The user's threads, newest activity first, as they change.
public struct ThreadCollection: AsyncSequence, Sendable {
    public typealias Element = ChatUpdate<ChatThread>

    let snapshots: LiveSequence<[ChatThread]>

    /// The threads now.
    public func current() async -> [ChatThread] { await snapshots.read() ?? [] }

    /// Iterates over the snapshots, the current one first.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var snapshots: LiveSequence<[ChatThread]>.AsyncIterator
        var previous: [ChatThread]?

        /// The next snapshot that differs from the previous one; `nil` when the client is shut down or the task
        /// cancelled.
        public mutating func next() async -> ChatUpdate<ChatThread>? {
            while let items = await snapshots.next() {
                let update = ChatUpdate(items: items, previous: previous ?? [], hasOlder: false, hasNewer: false)
                let isFirst = previous == nil
                previous = items
                if isFirst || !update.changes.isEmpty { return update }
            }
            return nil
        }
    }

    /// Starts with the current snapshot.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(snapshots: snapshots.makeAsyncIterator()) }
}
