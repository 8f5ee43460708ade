/// A live list of the user's threads, most recent activity first.
public struct ThreadCollection: AsyncSequence, Sendable {
    /// The type of the snapshots.
    public typealias Element = ChatUpdate<ChatThread>

    let snapshots: LiveSequence<[ChatThread]>

    /// Creates a list from the snapshots of its threads, for a ``ChatService`` of an app's tests.
    /// - Parameter snapshots: The threads, most recent activity first.
    public init(snapshots: LiveSequence<[ChatThread]>) { self.snapshots = snapshots }

    /// Returns the current threads.
    public func current() async -> [ChatThread] { await snapshots.read() ?? [] }

    /// An iterator over the snapshots, beginning with the current one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var snapshots: LiveSequence<[ChatThread]>.AsyncIterator
        var previous: [ChatThread]?

        /// Waits for a snapshot that differs from the previous one.
        /// - Returns: The snapshot; `nil` if the client is shut down or the task is cancelled.
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

    /// Returns an iterator that begins with the current snapshot.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(snapshots: snapshots.makeAsyncIterator()) }
}
