package import ParleyModel

/// The signals pending for one node; drained by one thread at a time.
///
/// Bounded: signals above the limit are dropped and replaced by one `resubscribed`, which means that any signal may
/// have been missed.
package struct Mailbox: Sendable {
    private let limit: Int
    private var signals = DrainQueue<BusSignal>()
    private var hasDropped = false

    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// - Returns: whether the caller must drain the mailbox now.
    package mutating func append(_ signal: BusSignal) -> Bool {
        if hasDropped || signals.count >= limit {
            hasDropped = true
        } else {
            signals.append(signal)
        }
        return signals.begin()
    }

    /// Takes all pending signals. `nil` if there are none; the caller then stops draining.
    package mutating func take() -> [BusSignal]? {
        if hasDropped {
            hasDropped = false
            signals.append(.resubscribed)
        }
        return signals.take()
    }
}
