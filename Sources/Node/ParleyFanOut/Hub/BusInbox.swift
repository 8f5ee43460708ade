package import ParleyModel

/// The signals of the bus that the home loop has not taken yet.
package struct BusInbox {
    /// The maximum number of waiting signals, without control events.
    package static let limit = 100_000

    private var signals: [BusSignal] = []
    /// The number of `signals` already taken.
    private var taken = 0
    private var hasOverflowed = false
    private var isBeingEmptied = false

    package init() {}

    /// Adds a signal. Above the limit, events are dropped and read from the log later, as after an interruption of the
    /// bus.
    ///
    /// Control events are always kept, because they are rare and not repeated.
    /// - Returns: Whether the caller must arrange for the inbox to be emptied by calls of `take`.
    package mutating func put(_ signal: BusSignal) -> Bool {
        if signals.count - taken >= Self.limit, !signal.isControl {
            hasOverflowed = true
        } else {
            signals.append(signal)
        }
        defer { isBeingEmptied = true }
        return !isBeingEmptied
    }

    /// Takes the next signals in order, at most `limit`, and one more at the end of a burst.
    /// - Returns: `isMore` is whether to call `take` again. Otherwise the inbox counts as emptied.
    package mutating func take(atMost limit: Int) -> (signals: [BusSignal], isMore: Bool) {
        let end = min(signals.count, taken + limit)
        var next = Array(signals[taken..<end])
        taken = end
        isBeingEmptied = taken < signals.count
        if !isBeingEmptied {
            // Bursts are rare, so their memory is released.
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
