/// The instants at which a v1 session wants to be woken; its owner keeps one timer for all of them.
struct Alarms: Sendable {
    enum Alarm: UInt8, Sendable {
        /// Live events were held back long enough.
        case endOfHold
        /// What was away may be there again.
        case retry
        /// It may be known whether the client may send.
        case permit
        /// It is time to ask the store what it has.
        case storedCheck
        /// The delay of a `bye` is over.
        case farewell
        /// The sends of a leaving client have had their time.
        case endOfGrace
    }

    private struct Entry: Sendable {
        let alarm: Alarm
        let instant: Int64
    }

    /// At most one of each kind; without memory for an idle client.
    private var entries: [Entry] = []
    /// When the owner will call, if it was asked to.
    private var timer: Int64?

    /// Sets an alarm, in place of another of its kind.
    mutating func set(_ alarm: Alarm, at instant: Int64) {
        entries.removeAll { $0.alarm == alarm }
        entries.append(Entry(alarm: alarm, instant: instant))
    }

    /// Takes an alarm back; the owner may still call for it.
    mutating func clear(_ alarm: Alarm) {
        entries.removeAll { $0.alarm == alarm }
        if entries.isEmpty { entries = [] }
    }

    func isSet(_ alarm: Alarm) -> Bool {
        entries.contains { $0.alarm == alarm }
    }

    /// Takes out what is due, the earliest first.
    mutating func due(at now: Int64) -> [Alarm] {
        if let timer, now >= timer { self.timer = nil }
        let due = entries.filter { $0.instant <= now }.sorted { $0.instant < $1.instant }
        if due.isEmpty { return [] }
        entries.removeAll { $0.instant <= now }
        if entries.isEmpty { entries = [] }
        return due.map(\.alarm)
    }

    /// After how long the owner is to call, if it is not going to call by then anyway.
    mutating func next(at now: Int64) -> Int64? {
        guard let first = entries.map(\.instant).min(), first < timer ?? .max else { return nil }
        timer = first
        return max(0, first - now)
    }
}
