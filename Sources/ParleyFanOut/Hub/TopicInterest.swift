/// The event loops of this node that want a topic, and the state of its subscription.
package struct TopicInterest<Waiter: Sendable>: Sendable {
    package enum Demand {
        /// Subscribe to the topic; the waiter is kept.
        case subscribe
        /// The bus has not answered yet; the waiter is kept.
        case wait
        /// The topic is live; the waiter goes on at once.
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

    /// Loops want the topic, and `waiter` waits until it is live.
    /// - Parameter wanted: may be empty, if it is not known yet which loops will want the topic.
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

    /// Loops want the topic, whether it is live yet or not.
    package mutating func add(_ wanted: LoopSet) {
        loops.formUnion(wanted)
    }

    /// The bus has answered.
    /// - Returns: who has waited.
    package mutating func answered(isLive: Bool) -> [Waiter] {
        defer { subscription = isLive ? .live : .none }
        if case .requested(let waiters) = subscription { return waiters }
        return []
    }

    /// A loop wants the topic no more.
    package mutating func release(_ loop: Int) {
        loops.remove(loop)
    }
}
