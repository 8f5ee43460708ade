/// The current value of something, and then each later one that the observer is ready for.
///
/// Nothing is queued: a slow observer gets the newest value and misses those between. Each iteration is independent, and
/// begins with the current value. It ends when the client is shut down.
public struct LiveSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let signal: Signal
    let read: @Sendable () async -> Value?

    /// Iterates over the values, from the current one on.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let signal: Signal
        let read: @Sendable () async -> Value?
        var seen = 0

        /// The current value, if it was not returned before; otherwise the next one. `nil` when the client is shut down
        /// or the task is cancelled.
        public mutating func next(isolation: isolated (any Actor)?) async -> Value? {
            guard let version = await signal.next(after: seen) else { return nil }
            seen = version
            return await read()
        }

        /// The same, for callers without an isolation.
        public mutating func next() async -> Value? { await next(isolation: nil) }
    }

    /// Starts with the current value.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(signal: signal, read: read) }
}
