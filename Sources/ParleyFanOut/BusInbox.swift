import ParleyModel

/// What the bus has brought and the home loop has not taken yet.
struct BusInbox {
    /// The most signals that wait.
    static let limit = 100_000

    private var signals: [BusSignal] = []
    private var hasOverflowed = false

    /// Takes a signal in; beyond the limit events are dropped, to be read from the log as after a cut.
    ///
    /// Control events are always kept: they are few, and nothing repeats them.
    /// - Returns: whether it is the first, so that somebody must come and `takeAll`.
    mutating func put(_ signal: BusSignal) -> Bool {
        if signals.count >= Self.limit, !signal.isControl {
            hasOverflowed = true
        } else {
            signals.append(signal)
        }
        return signals.count == 1 && !hasOverflowed
    }

    mutating func takeAll() -> [BusSignal] {
        defer { self = BusInbox() }
        return hasOverflowed ? signals + [.resubscribed] : signals
    }
}

extension BusSignal {
    fileprivate var isControl: Bool {
        if case .control = self { true } else { false }
    }
}
