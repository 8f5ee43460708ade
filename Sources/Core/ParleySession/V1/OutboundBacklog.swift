package import ParleyModel

/// Backpressure for a slow reader: decides whether an event may wait in the channel, and records which events were
/// skipped.
///
/// Events may use three quarters of the limit, so that replies still flow when events do not. From the first event that
/// does not fit, all events are skipped and their ranges recorded, until half of the limit has been read; then the
/// ranges are reported to the client, and events flow again. An idle value holds no heap memory.
package struct OutboundBacklog: Sendable {
    /// The decision about a write.
    package enum Verdict: Hashable, Sendable {
        case deliver
        /// Skipped and recorded; ephemeral events are not recorded.
        case skip
        /// Too many threads to record another range: the connection must close.
        case lost
    }

    /// Maximum number of threads whose ranges are recorded.
    package static let threadLimit = 500

    private let limit: Int32
    /// Bytes written since the channel last reported its waiting bytes; an upper bound of what waits.
    private var unconfirmed: Int32 = 0
    /// The skipped range of each thread, from the first to the last seq.
    package private(set) var behind: [ThreadID: ClosedRange<Int64>] = [:]

    /// - Parameter limit: maximum number of waiting bytes.
    package init(limit: Int) {
        self.limit = Int32(clamping: limit)
    }

    package var isBehind: Bool { !behind.isEmpty }

    /// Once this many bytes or fewer wait, a slow socket counts as recovered.
    package var lowMark: Int { Int(limit) / 2 }

    /// Accounts for consecutive events of a thread, if they fit.
    ///
    /// If nothing waits, a write of any size fits: the members of a thread share those bytes.
    /// - Parameters:
    ///   - seqs: the first and the last; `nil` for ephemeral events only. Evaluated only if the events do not fit.
    ///   - waiting: the bytes waiting in the channel.
    package mutating func offer(
        _ bytes: Int, _ seqs: @autoclosure () -> ClosedRange<Int64>?, in thread: ThreadID, waiting: Int
    ) -> Verdict {
        guard !isBehind else { return note(seqs(), in: thread) }
        if Int(unconfirmed) + bytes > Int(limit) / 4 * 3 {
            unconfirmed = Int32(clamping: waiting)
            if unconfirmed > 0, Int(unconfirmed) + bytes > Int(limit) / 4 * 3 { return note(seqs(), in: thread) }
        }
        wrote(bytes)
        return .deliver
    }

    /// Accounts for a write that cannot be skipped.
    package mutating func wrote(_ bytes: Int) {
        unconfirmed = Int32(clamping: Int(unconfirmed) + bytes)
    }

    /// Whether so much waits that the client must read before it gets further replies.
    package mutating func isFull(waiting: Int) -> Bool {
        guard unconfirmed >= limit else { return false }
        unconfirmed = Int32(clamping: waiting)
        return unconfirmed >= limit
    }

    /// Whether more than half of the limit waits.
    package mutating func isAboveLowMark(waiting: Int) -> Bool {
        guard Int(unconfirmed) > lowMark else { return false }
        unconfirmed = Int32(clamping: waiting)
        return Int(unconfirmed) > lowMark
    }

    /// Called when the client has read: returns the skipped ranges, once; empty if there are none.
    package mutating func recover() -> [ThreadID: ClosedRange<Int64>] {
        defer { behind = [:] }
        return behind
    }

    private mutating func note(_ seqs: ClosedRange<Int64>?, in thread: ThreadID) -> Verdict {
        guard let seqs else { return .skip }
        return behind.note(seqs, in: thread) ? .skip : .lost
    }
}

extension [ThreadID: ClosedRange<Int64>] {
    /// Extends the range of a thread.
    /// - Returns: `false` if there are too many threads for another one.
    mutating func note(_ seqs: ClosedRange<Int64>, in thread: ThreadID) -> Bool {
        if let known = self[thread] {
            self[thread] =
                Swift.min(known.lowerBound, seqs.lowerBound)...Swift.max(known.upperBound, seqs.upperBound)
            return true
        }
        guard count < OutboundBacklog.threadLimit else { return false }
        self[thread] = seqs
        return true
    }
}
