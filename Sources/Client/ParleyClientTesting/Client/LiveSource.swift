public import ParleyClient

/// A value that tests change and live sequences show. A lock guards the value.
///
/// An app's own ``ParleyClient/ChatService`` makes its sequences of it:
///
/// ```swift
/// let threads = LiveSource([ChatThread(id: "t1", title: "Garden")])
/// let collection = ThreadCollection(snapshots: threads.sequence)
/// threads.value.append(ChatThread(id: "t2", title: "Kitchen"))
/// ```
public final class LiveSource<Value: Sendable>: Sendable {
    private let state: Locked<Value>
    private let signal = Signal()

    /// Creates a source.
    /// - Parameter value: The first value.
    public init(_ value: Value) { state = Locked(value) }

    /// The current value. Setting it, or changing it in place, notifies the observers.
    public var value: Value {
        get { state.withLock { $0 } }
        set { change { $0 = newValue } }
    }

    /// Changes the value while no one else does, and notifies the observers.
    /// - Returns: What the closure returns.
    @discardableResult
    public func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        defer { signal.raise() }
        return try state.withLock(body)
    }

    /// Ends all sequences, as the shutdown of a client does.
    public func finish() { signal.finish() }

    /// The current value and later ones.
    public var sequence: LiveSequence<Value> {
        LiveSequence(signal: signal) { [state] in state.withLock { $0 } }
    }

    /// Raised after each change.
    var changes: Signal { signal }
}
