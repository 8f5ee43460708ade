package import ParleyModel

/// What the bus has brought and the home loop has not taken yet.
package struct BusInbox {
    /// The most signals that wait, control events aside.
    package static let limit = 100_000

    private var signals: [BusSignal] = []
    /// How many of `signals` have been taken.
    private var taken = 0
    private var hasOverflowed = false
    private var isBeingEmptied = false

    package init() {}

    /// Takes a signal in; beyond the limit events are dropped, to be read from the log as after a cut.
    ///
    /// Control events are always kept: they are few, and nothing repeats them.
    /// - Returns: whether somebody must come and `take` until there is no more.
    package mutating func put(_ signal: BusSignal) -> Bool {
        if signals.count - taken >= Self.limit, !signal.isControl {
            hasOverflowed = true
        } else {
            signals.append(signal)
        }
        defer { isBeingEmptied = true }
        return !isBeingEmptied
    }

    /// The next signals, in order, at most `limit` and one, and whether there are more: if not, nobody empties the inbox
    /// any more.
    package mutating func take(atMost limit: Int) -> (signals: [BusSignal], isMore: Bool) {
        let end = min(signals.count, taken + limit)
        var next = Array(signals[taken..<end])
        taken = end
        isBeingEmptied = taken < signals.count
        if !isBeingEmptied {
            // A burst is rare; its memory is not kept.
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
