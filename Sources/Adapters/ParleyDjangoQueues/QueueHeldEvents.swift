package import ParleyModel

/// The events that were sent to an earlier process of this node, as a value. Each event is kept until the node
/// subscribes to its thread, or until the event expires.
package struct QueueHeldEvents: Sendable {
    private let began: Int64
    private let expiry: Int64
    private let limit: Int
    private var events: [String: [(event: ForeignEvent, sent: Int64)]] = [:]
    private var count = 0

    /// - Parameters:
    ///   - began: The start of this process, in Unix seconds.
    ///   - expiry: The lifetime of an event, in seconds.
    ///   - limit: The maximum number of events.
    package init(began: Int64, expiry: Int64, limit: Int = 1000) {
        self.began = began
        self.expiry = expiry
        self.limit = limit
    }

    /// Keeps an event of a thread that the node is not subscribed to.
    /// - Parameters:
    ///   - local: The local name of the thread.
    ///   - sent: The time of sending, in Unix seconds.
    /// - Returns: Whether the event is kept.
    package mutating func hold(_ event: ForeignEvent, local: String, sent: Int64, now: Int64) -> Bool {
        guard sent <= began, now < began + expiry, sent + expiry > now, count < limit else { return false }
        events[local, default: []].append((event, sent))
        count += 1
        return true
    }

    /// Takes the events of a thread that have not expired, in order.
    package mutating func take(_ local: String, now: Int64) -> [ForeignEvent] {
        guard !events.isEmpty else { return [] }
        if now >= began + expiry {
            (events, count) = ([:], 0)
            return []
        }
        let taken = events.removeValue(forKey: local) ?? []
        count -= taken.count
        return taken.filter { $0.sent + expiry > now }.map(\.event)
    }
}
