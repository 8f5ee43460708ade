/// The timers of a v1 session; the owner runs a single timer for all of them.
struct SessionTimers: Sendable {
    enum SessionTimer: UInt8, Sendable {
        /// Ends the hold of live events.
        case endOfHold
        /// Retries what was unavailable.
        case retry
        /// Ends a resume for which the store is unavailable.
        case storeTimeout
        /// Requests a token again.
        case permit
        /// Queries the store for what has been stored.
        case storedCheck
        /// Ends the delay of a `bye`.
        case closeTimeout
        /// Ends the grace period for sends of a leaving client.
        case endOfGrace
    }

    private struct Entry: Sendable {
        let timer: SessionTimer
        let instant: Int64
    }

    /// At most one of each kind; takes no memory for an idle client.
    private var entries: [Entry] = []
    /// When the owner will call; `.max` if that is not requested.
    private var armed = Int64.max

    /// Sets a timer, replacing one of the same kind.
    mutating func set(_ timer: SessionTimer, at instant: Int64) {
        entries.removeAll { $0.timer == timer }
        entries.append(Entry(timer: timer, instant: instant))
    }

    /// Clears a timer; the owner may still call for it.
    mutating func clear(_ timer: SessionTimer) {
        entries.removeAll { $0.timer == timer }
        if entries.isEmpty { entries = [] }
    }

    func isSet(_ timer: SessionTimer) -> Bool {
        entries.contains { $0.timer == timer }
    }

    /// Removes and returns the timers that are due, earliest first.
    mutating func due(at now: Int64) -> [SessionTimer] {
        if now >= armed { armed = .max }
        let due = entries.filter { $0.instant <= now }.sorted { $0.instant < $1.instant }
        if due.isEmpty { return [] }
        entries.removeAll { $0.instant <= now }
        if entries.isEmpty { entries = [] }
        return due.map(\.timer)
    }

    /// The delay to request from the owner, unless it is going to call by then anyway.
    mutating func next(at now: Int64) -> Int64? {
        guard let first = entries.map(\.instant).min(), first < armed else { return nil }
        armed = first
        return max(0, first - now)
    }
}
