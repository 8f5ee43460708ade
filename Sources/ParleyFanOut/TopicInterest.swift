/// Which event loops of this node want a topic, and how far its subscription is.
///
/// A value; its owner, the hub, performs what it answers.
struct TopicInterest<Waiter> {
    enum Demand {
        /// Ask the bus for the topic; the waiter is kept.
        case subscribe
        /// The answer of the bus is awaited; the waiter is kept.
        case wait
        /// The topic is live already; the waiter goes on at once.
        case ready(Waiter)
    }

    /// The loops that want the topic, by index.
    private(set) var loops = LoopSet()
    /// The last grant that was sent to any loop; see `FanOutHub`.
    var lastGrant: UInt64 = 0
    /// When the last loop gave the topic up, by the hub's clock.
    private(set) var emptySince: Int64?
    /// `nil` when the subscription is live.
    private var waiters: [Waiter]? = []
    private var isAsked = false

    init() {}

    /// Loops want the topic, and `waiter` wants to know when it is live.
    mutating func want(_ wanted: LoopSet, _ waiter: Waiter) -> Demand {
        loops.formUnion(wanted)
        emptySince = nil
        guard waiters != nil else { return .ready(waiter) }
        waiters?.append(waiter)
        guard isAsked else {
            isAsked = true
            return .subscribe
        }
        return .wait
    }

    /// The bus has answered; hands out who waited.
    mutating func answered(isLive: Bool) -> [Waiter] {
        let waiting = waiters ?? []
        waiters = isLive ? nil : []
        isAsked = isLive
        return waiting
    }

    /// A loop gives the topic up.
    /// - Returns: whether nobody wants it now.
    mutating func release(_ loop: Int, at now: Int64) -> Bool {
        loops.remove(loop)
        guard loops.isEmpty else { return false }
        emptySince = now
        return true
    }

    /// Whether the topic has been unwanted for `linger` and can be given up.
    func isForgettable(at now: Int64, linger: Int64) -> Bool {
        guard waiters == nil, let emptySince else { return false }
        return now - emptySince >= linger
    }
}
