package import ParleyModel

/// An action of a `LogCore`. Actions are performed in order.
package enum LogAction: Hashable, Sendable {
    /// Complete an append.
    case complete(AppendID, Result<Receipt, AppendError>)
    /// Let a query look up its thread again, or fail it.
    case resume(AppendID, AppendError?)
    /// Publish an event to the nodes.
    case publish(LogEvent)
    /// Publish an ephemeral event to the nodes.
    case publishEphemeral(EphemeralEvent, ThreadID)
    /// Query the store, and report the reply by `LogCore.seeded` or `LogCore.looked`.
    case queryStore(LogRequest)
    /// Wake the reader of a partition: it has entries to read.
    case wake(Partition)
}

/// A query that a log sends to the store.
package enum LogRequest: Hashable, Sendable {
    case head(ThreadID)
    /// Look up the send with this key, which waits in its thread's queue.
    case send(IdempotencyKey, SendQuery)
}

/// Identifies an append or a query while it waits. The performer of the actions maps it to its completion.
package struct AppendID: Hashable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}

extension Receipt {
    /// The receipt of a numbered event.
    init(_ event: LogEvent) {
        self.init(
            thread: event.thread, position: event.position, milliseconds: event.milliseconds,
            messageID: event.message?.id)
    }

    /// The receipt returned to a repeat of the send.
    var repeated: Receipt {
        var copy = self
        copy.isRepeat = true
        return copy
    }
}

extension StoreOutcome {
    /// The seq at which the event is stored; `nil` if it is not.
    var seq: Int64? {
        switch self {
        case .stored(let seq), .repeated(let seq): seq
        case .marked, .rejected, .dropped: nil
        }
    }
}
