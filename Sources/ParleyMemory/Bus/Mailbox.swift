package import ParleyModel

/// The signals pending for one node; drained by one thread at a time.
///
/// Bounded: signals above the limit are dropped and replaced by one `resubscribed`, which tells the node that it may
/// have missed any signal.
package struct Mailbox: Sendable {
    private let limit: Int
    private var outbox = Outbox<BusSignal>()
    private var hasDropped = false

    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// - Returns: whether the caller must drain the mailbox now.
    package mutating func append(_ signal: BusSignal) -> Bool {
        if hasDropped || outbox.count >= limit {
            hasDropped = true
        } else {
            outbox.append(signal)
        }
        return outbox.begin()
    }

    /// Takes all pending signals. `nil` if there are none; the caller then stops draining.
    package mutating func take() -> [BusSignal]? {
        if hasDropped {
            hasDropped = false
            outbox.append(.resubscribed)
        }
        return outbox.take()
    }
}
