package import ParleyModel

/// The signals on their way to one node, which one thread at a time empties.
///
/// Bounded: signals above the limit are dropped, and the node gets a `resubscribed` in their place, which says that
/// anything may have been missed.
package struct Mailbox: Sendable {
    private let limit: Int
    private var outbox = Outbox<BusSignal>()
    private var hasDropped = false

    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// - Returns: whether the caller is to empty the mailbox now.
    package mutating func append(_ signal: BusSignal) -> Bool {
        if hasDropped || outbox.count >= limit {
            hasDropped = true
        } else {
            outbox.append(signal)
        }
        return outbox.begin()
    }

    /// What has gathered; `nil` if nothing has, and then nobody empties the mailbox any more.
    package mutating func take() -> [BusSignal]? {
        if hasDropped {
            hasDropped = false
            outbox.append(.resubscribed)
        }
        return outbox.take()
    }
}
