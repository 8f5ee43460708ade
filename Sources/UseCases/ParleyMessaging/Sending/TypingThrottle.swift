package import ParleyModel

/// Limits how often typing is shown to other members: at most one start every three seconds per thread, or after each
/// message. A stop is shown immediately. Calls that would not change the indicator are dropped.
package struct TypingThrottle: Sendable {
    /// The minimum interval between two starts, in microseconds.
    package static let interval: Int64 = 3_000_000
    /// The maximum number of threads remembered. The least recently used is evicted first.
    package static let threadLimit = 16

    private struct Entry: Sendable {
        let thread: ThreadID
        var isOn: Bool
        /// The times at which a start and a stop were last shown; `nil` if not recently.
        var on: Int64?
        var off: Int64?

        func isOld(at now: Int64) -> Bool {
            [on, off].allSatisfy { $0.map { now - $0 >= interval } ?? true }
        }
    }

    /// The entries, most recently used last. Clients that never type use no memory.
    private var entries: [Entry] = []

    package init() {}

    /// - Parameter now: The time in microseconds of a monotonic clock.
    /// - Returns: Whether members must be notified.
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

    /// Records a message from the user in the thread, which hides the indicator. The next start is shown immediately, and a
    /// stop before it is dropped.
    package mutating func sent(in thread: ThreadID, at now: Int64) {
        guard let index = entries.firstIndex(where: { $0.thread == thread }) else { return }
        entries[index].isOn = false
        entries[index].on = nil
        entries[index].off = now
    }

    private mutating func take(_ thread: ThreadID, at now: Int64) -> Entry? {
        let index = entries.firstIndex { $0.thread == thread }
        let entry = index.map { entries.remove(at: $0) }
        entries.removeAll { !$0.isOn && $0.isOld(at: now) }
        if entries.count == Self.threadLimit { entries.removeFirst() }
        return entry
    }
}
