/// The state that ends mutes at their time, and that tells newer reports of them from older ones.
package struct MuteState: Sendable {
    /// The maximum time until the ends are compared with the clock again, in milliseconds.
    package static let longestWait: Int64 = 86_400_000

    /// The server's clock minus the clock of this device at the latest hello, in milliseconds.
    package private(set) var clockOffset: Int64 = 0
    /// The earliest end of a mute in milliseconds since 1970 by the server's clock, or an earlier time.
    package var earliestEnd: Int64?
    /// The threads whose mutes the current connection has reported. REST may be older.
    package var reported: Set<String> = []

    package init() {}

    /// Notes what hello says.
    /// - Parameters:
    ///   - serverTime: The server's clock in milliseconds since 1970.
    ///   - threads: The threads of hello, with or without a mute.
    ///   - now: The clock of this device in milliseconds since 1970.
    package mutating func greeted(at serverTime: Int64?, threads: [String], now: Int64) {
        if let serverTime { clockOffset = serverTime - now }
        reported = Set(threads)
    }

    package mutating func note(end: Int64) { earliestEnd = min(earliestEnd ?? end, end) }
}

/// The user's mutes. The server reports their beginnings, changes and early ends; at their time they end by themselves.
extension ChatMachine {
    /// The user's mute in a thread; `nil` if there is none or it has expired.
    package func mute(of record: ThreadRecord, at now: Now) -> ServerFrame.Mute? {
        guard let mute = record.mute, mute.until.map({ serverTime(at: now) < $0 }) ?? true else { return nil }
        return mute
    }

    /// The server's clock in milliseconds since 1970, by the latest hello.
    func serverTime(at now: Now) -> Int64 { now.milliseconds + mutes.clockOffset }

    /// The time at which a mute may end.
    var muteDeadline: Duration? {
        mutes.earliestEnd.map { end in
            now.uptime + .milliseconds(min(max(end - serverTime(at: now), 0), MuteState.longestWait))
        }
    }

    /// Removes expired mutes.
    mutating func endMutes() {
        guard let end = mutes.earliestEnd, serverTime(at: now) >= end else { return }
        for (id, record) in threads where record.mute != nil && mute(of: record, at: now) == nil {
            threads[id]?.mute = nil
            note(record: id)
        }
        mutes.earliestEnd = threads.values.compactMap { $0.mute?.until }.min()
    }

    mutating func receivedMute(thread id: String, _ mute: ServerFrame.Mute?) {
        guard let record = threads[id] else { return }
        mutes.reported.insert(id)
        guard record.mute != mute else { return }
        threads[id]?.mute = mute
        note(record: id)
    }
}
