/// The instants at which a v1 session wants to be woken; its owner keeps one timer for all of them.
struct SessionTimers: Sendable {
    enum SessionTimer: UInt8, Sendable {
        /// Live events were held back long enough.
        case endOfHold
        /// What was away may be there again.
        case retry
        /// It may be known whether the client may send.
        case permit
        /// It is time to ask the store what it has.
        case storedCheck
        /// The delay of a `bye` is over.
        case closeTimeout
        /// The sends of a leaving client have had their time.
        case endOfGrace
    }

    private struct Entry: Sendable {
        let timer: SessionTimer
        let instant: Int64
    }

    /// At most one of each kind; without memory for an idle client.
    private var entries: [Entry] = []
    /// When the owner will call, if it was asked to.
    private var armed: Int64?

    /// Sets an alarm, in place of another of its kind.
    mutating func set(_ timer: SessionTimer, at instant: Int64) {
        entries.removeAll { $0.timer == timer }
        entries.append(Entry(timer: timer, instant: instant))
    }

    /// Takes an alarm back; the owner may still call for it.
    mutating func clear(_ timer: SessionTimer) {
        entries.removeAll { $0.timer == timer }
        if entries.isEmpty { entries = [] }
    }

    func isSet(_ timer: SessionTimer) -> Bool {
        entries.contains { $0.timer == timer }
    }

    /// Takes out what is due, the earliest first.
    mutating func due(at now: Int64) -> [SessionTimer] {
        if let armed, now >= armed { self.armed = nil }
        let due = entries.filter { $0.instant <= now }.sorted { $0.instant < $1.instant }
        if due.isEmpty { return [] }
        entries.removeAll { $0.instant <= now }
        if entries.isEmpty { entries = [] }
        return due.map(\.timer)
    }

    /// After how long the owner is to call, if it is not going to call by then anyway.
    mutating func next(at now: Int64) -> Int64? {
        guard let first = entries.map(\.instant).min(), first < armed ?? .max else { return nil }
        armed = first
        return max(0, first - now)
    }
}
