package import ParleyModel

/// What a socket that reads too slowly is left without: whether an event may still wait for it, and which events did
/// not.
///
/// Events have three quarters of the limit, so that answers still flow when events do not. From the first event that
/// has no room on, all are left out and their ranges kept, until half of the limit has been read: then the client can
/// be told of the ranges, and everything flows again. An idle ledger holds nothing on the heap.
package struct OutboundBacklog: Sendable {
    package enum Verdict: Hashable, Sendable {
        case deliver
        /// It was left out and noted; a notice is only left out.
        case skip
        /// Events of more threads would have to be noted than are kept.
        case lost
    }

    /// The most threads whose ranges are kept.
    package static let threadLimit = 500

    private let limit: Int32
    /// Bytes written since the channel last told how many wait in it: never less than what waits.
    private var unconfirmed: Int32 = 0
    /// What was left out, from the first to the last seq of each thread.
    package private(set) var behind: [ThreadID: ClosedRange<Int64>] = [:]

    /// - Parameter limit: the most bytes that may wait.
    package init(limit: Int) {
        self.limit = Int32(clamping: limit)
    }

    package var isBehind: Bool { !behind.isEmpty }

    /// At most so many bytes wait when a slow socket is as good as any other again.
    package var lowMark: Int { Int(limit) / 2 }

    /// Counts consecutive events of a thread, if there is room for them.
    ///
    /// What is written while nothing waits always has room, whatever its size: the members of a thread share those
    /// bytes.
    /// - Parameters:
    ///   - seqs: the first and the last; `nil` for notices only. Asked only when there is no room.
    ///   - waiting: how many bytes wait in the channel; asked only when the own count is used up.
    package mutating func offer(
        _ bytes: Int, _ seqs: @autoclosure () -> ClosedRange<Int64>?, in thread: ThreadID, waiting: () -> Int
    ) -> Verdict {
        guard !isBehind else { return note(seqs(), in: thread) }
        if Int(unconfirmed) + bytes > Int(limit) / 4 * 3 {
            unconfirmed = Int32(clamping: waiting())
            if unconfirmed > 0, Int(unconfirmed) + bytes > Int(limit) / 4 * 3 { return note(seqs(), in: thread) }
        }
        wrote(bytes)
        return .deliver
    }

    /// Something was written that is not for the ledger to refuse.
    package mutating func wrote(_ bytes: Int) {
        unconfirmed = Int32(clamping: Int(unconfirmed) + bytes)
    }

    /// So much waits that the client must read before it is answered any more.
    package mutating func isFull(waiting: () -> Int) -> Bool {
        guard unconfirmed >= limit else { return false }
        unconfirmed = Int32(clamping: waiting())
        return unconfirmed >= limit
    }

    /// More than half of what may wait does.
    package mutating func isAboveLowMark(waiting: () -> Int) -> Bool {
        guard Int(unconfirmed) > lowMark else { return false }
        unconfirmed = Int32(clamping: waiting())
        return Int(unconfirmed) > lowMark
    }

    /// The client has read: what it must be told was left out, once; empty if nothing was.
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
    /// Widens the range of a thread.
    /// - Returns: `false` if there are too many threads for one more.
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
