package import ParleyModel

/// How often a user's writing is shown to the others: its beginning at most once in three seconds for each thread,
/// its end at once, and nothing that they know already.
package struct TypingThrottle: Sendable {
    /// Microseconds between two beginnings that are shown.
    package static let interval: Int64 = 3_000_000
    /// The most threads that are kept in mind; the one written in longest ago is forgotten first.
    package static let threadLimit = 16

    private struct Entry: Sendable {
        let thread: ThreadID
        var isOn: Bool
        /// When a beginning and an end were last shown; `nil`: not lately.
        var on: Int64?
        var off: Int64?

        func isOld(at now: Int64) -> Bool {
            [on, off].allSatisfy { $0.map { now - $0 >= interval } ?? true }
        }
    }

    /// The one written in last is last; without memory for clients that never write.
    private var entries: [Entry] = []

    package init() {}

    /// - Parameter now: microseconds by a clock that never goes back.
    /// - Returns: whether the others are to be told.
    package mutating func shows(_ thread: ThreadID, isOn: Bool, at now: Int64) -> Bool {
        var entry = take(thread, at: now) ?? Entry(thread: thread, isOn: false)
        defer { entries.append(entry) }
        if isOn {
            if let on = entry.on, now - on < Self.interval { return false }
            entry.on = now
        } else {
            if !entry.isOn, let off = entry.off, now - off < Self.interval { return false }
            entry.off = now
        }
        entry.isOn = isOn
        return true
    }

    private mutating func take(_ thread: ThreadID, at now: Int64) -> Entry? {
        let index = entries.firstIndex { $0.thread == thread }
        let entry = index.map { entries.remove(at: $0) }
        entries.removeAll { !$0.isOn && $0.isOld(at: now) }
        if entries.count == Self.threadLimit { entries.removeFirst() }
        return entry
    }
}
