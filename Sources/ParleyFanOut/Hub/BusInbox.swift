package import ParleyModel

/// The signals of the bus that the home loop has not taken yet.
package struct BusInbox {
    /// The maximum number of waiting signals, without control events.
    package static let limit = 100_000

    private var signals: [BusSignal] = []
    /// How many of `signals` were taken.
    private var taken = 0
    private var hasOverflowed = false
    private var isBeingEmptied = false

    package init() {}

    /// Adds a signal. Beyond the limit events are dropped; they are read from the log, as after a cut of the bus.
    ///
    /// Control events are always kept: they are few and not repeated.
    /// - Returns: whether the caller has to have the inbox emptied: `take` until there is no more.
    package mutating func put(_ signal: BusSignal) -> Bool {
        if signals.count - taken >= Self.limit, !signal.isControl {
            hasOverflowed = true
        } else {
            signals.append(signal)
        }
        defer { isBeingEmptied = true }
        return !isBeingEmptied
    }

    /// Takes the next signals, in order, at most `limit`, and at the end of a burst one more.
    /// - Returns: `isMore`: whether to take again; if not, the inbox counts as emptied.
    package mutating func take(atMost limit: Int) -> (signals: [BusSignal], isMore: Bool) {
        let end = min(signals.count, taken + limit)
        var next = Array(signals[taken..<end])
        taken = end
        isBeingEmptied = taken < signals.count
        if !isBeingEmptied {
            // Bursts are rare; their memory is not kept.
            signals = []
            taken = 0
            if hasOverflowed { next.append(.resubscribed) }
            hasOverflowed = false
        } else if taken > signals.count / 2 {
            signals.removeFirst(taken)
            taken = 0
        }
        return (next, isBeingEmptied)
    }
}

extension BusSignal {
    fileprivate var isControl: Bool {
        if case .control = self { true } else { false }
    }
}
