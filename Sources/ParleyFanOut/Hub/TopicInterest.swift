/// Which event loops of this node want a topic, and how far its subscription is.
///
/// A value; its owner, the hub, performs what it answers.
package struct TopicInterest<Waiter> {
    package enum Demand {
        /// Ask the bus for the topic; the waiter is kept.
        case subscribe
        /// The answer of the bus is awaited; the waiter is kept.
        case wait
        /// The topic is live already; the waiter goes on at once.
        case ready(Waiter)
    }

    /// The loops that want the topic, by index.
    package private(set) var loops = LoopSet()
    /// `nil` when the subscription is live.
    private var waiters: [Waiter]? = []
    private var isAsked = false

    package init() {}

    package var isLive: Bool { waiters == nil }

    /// Loops want the topic, and `waiter` wants to know when it is live.
    /// - Parameter wanted: may be empty, when it is not known yet which loops will.
    package mutating func want(_ wanted: LoopSet, _ waiter: Waiter) -> Demand {
        loops.formUnion(wanted)
        guard waiters != nil else { return .ready(waiter) }
        waiters?.append(waiter)
        guard isAsked else {
            isAsked = true
            return .subscribe
        }
        return .wait
    }

    /// Loops want the topic, whether it is live yet or not.
    package mutating func add(_ wanted: LoopSet) {
        loops.formUnion(wanted)
    }

    /// The bus has answered; hands out who waited.
    package mutating func answered(isLive: Bool) -> [Waiter] {
        let waiting = waiters ?? []
        waiters = isLive ? nil : []
        isAsked = isLive
        return waiting
    }

    /// A loop gives the topic up.
    package mutating func release(_ loop: Int) {
        loops.remove(loop)
    }
}
