package import ParleyModel

/// What a `LogCore` wants done; to be performed in order.
package enum LogAction: Hashable, Sendable {
    /// Answer an append.
    case complete(RequestID, Result<Receipt, AppendError>)
    /// Let a query look again, or fail it.
    case resume(RequestID, AppendError?)
    /// Deliver to the nodes.
    case publish(LogEvent)
    /// Deliver to the nodes.
    case tell(EphemeralEvent, ThreadID)
    /// Ask the store, and answer with `LogCore.seeded` or `LogCore.looked`.
    case ask(LogRequest)
    /// A reader of the partition has something to read.
    case wake(Partition)
}

/// What a log asks of the store.
package enum LogRequest: Hashable, Sendable {
    case head(ThreadID)
    /// The send of this name, which waits in its thread.
    case send(OnceKey, SendQuery)
}

/// Names an append or a query while it waits; whoever performs the actions keeps what stands behind it.
package struct RequestID: Hashable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}
