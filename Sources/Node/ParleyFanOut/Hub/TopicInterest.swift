/// The event loops of this node that want a topic, and the state of its subscription.
package struct TopicInterest<Waiter: Sendable>: Sendable {
    package enum Demand {
        /// Subscribe to the topic, and keep the waiter.
        case subscribe
        /// Keep the waiter until the bus answers.
        case wait
        /// The topic is live; resume the waiter immediately.
        case ready(Waiter)
    }

    private enum Subscription {
        case none
        case requested([Waiter])
        case live
    }

    /// The loops that want the topic, by index.
    package private(set) var loops = LoopSet()
    private var subscription = Subscription.none

    package init() {}

    package var isLive: Bool {
        if case .live = subscription { true } else { false }
    }

    /// Adds interested loops, and a waiter for the topic to be live.
    /// - Parameter wanted: The interested loops. May be empty if they are not known yet.
    package mutating func add(_ wanted: LoopSet, _ waiter: Waiter) -> Demand {
        loops.formUnion(wanted)
        switch subscription {
        case .live:
            return .ready(waiter)
        case .requested(let waiters):
            subscription = .requested(waiters + [waiter])
            return .wait
        case .none:
            subscription = .requested([waiter])
            return .subscribe
        }
    }

    /// Adds interested loops, whether or not the topic is live.
    package mutating func add(_ wanted: LoopSet) {
        loops.formUnion(wanted)
    }

    /// Handles the answer of the bus.
    /// - Returns: The waiters.
    package mutating func answered(isLive: Bool) -> [Waiter] {
        defer { subscription = isLive ? .live : .none }
        if case .requested(let waiters) = subscription { return waiters }
        return []
    }

    /// Removes the interest of a loop.
    package mutating func release(_ loop: Int) {
        loops.remove(loop)
    }
}
