/// An asynchronous sequence of the current value and later values.
///
/// The sequence does not buffer values: a slow observer receives the newest value and misses the values in between.
/// Each iteration is independent and begins with the current value. An iteration ends when the client is shut down.
public struct LiveSequence<Value: Sendable>: AsyncSequence, Sendable {
    /// The type of the values.
    public typealias Element = Value

    let signal: Signal
    let read: @Sendable () async -> Value?

    /// - Parameters:
    ///   - signal: Raised after each change.
    ///   - read: Returns the current value; `nil` ends the iteration.
    package init(signal: Signal, read: @escaping @Sendable () async -> Value?) {
        self.signal = signal
        self.read = read
    }

    /// An iterator over the values, beginning with the current one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let signal: Signal
        let read: @Sendable () async -> Value?
        var seen = 0

        /// Returns the current value if it was not returned before, or waits for the next one.
        /// - Returns: The value; `nil` if the client is shut down or the task is cancelled.
        public mutating func next() async -> Value? {
            guard let version = await signal.next(after: seen) else { return nil }
            seen = version
            return await read()
        }
    }

    /// Waits for a value.
    ///
    /// Unlike the method of all asynchronous sequences, it can be called on the main actor in the language mode of Swift 6.
    /// - Parameter isWanted: A closure that returns whether a value is wanted.
    /// - Returns: The first wanted value; `nil` if the client is shut down or the task is cancelled before.
    public func first(where isWanted: @Sendable (Value) -> Bool) async -> Value? {
        for await value in self where isWanted(value) { return value }
        return nil
    }

    /// Returns an iterator that begins with the current value.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(signal: signal, read: read) }
}
