package import NIOCore

/// Measures whether the body of one request arrives fast enough.
///
/// A body has `limit` to arrive in. A streamed body may take longer, as long as each window of `limit` brings the bytes
/// of its minimum rate. Time in which the server does not read, because it is busy with earlier bytes, does not count.
package struct BodyClock {
    package enum Verdict: Hashable {
        case late
        /// Look again at this time.
        case checkAgain(at: NIODeadline)
    }

    private let limit: TimeAmount
    /// The bytes required in each window of `limit`; `nil` if there is one window only.
    private var bytesWanted: Int?
    private var end: NIODeadline
    private var bytes = 0
    /// When the server stopped reading; `nil` while it reads.
    private var heldSince: NIODeadline?

    /// - Parameter bytesPerSecond: the minimum rate of a streamed body; `nil` for any other.
    package init(limit: TimeAmount, bytesPerSecond: Int?, now: NIODeadline) {
        self.limit = limit
        bytesWanted = bytesPerSecond.map { Int(clamping: Int64($0) * limit.nanoseconds / 1_000_000_000) }
        end = now + limit
    }

    package mutating func received(_ count: Int) {
        bytes += count
    }

    /// The server has stopped reading.
    package mutating func hold(at now: NIODeadline) {
        if heldSince == nil { heldSince = now }
    }

    /// The server reads again.
    package mutating func release(at now: NIODeadline) {
        guard let since = heldSince else { return }
        heldSince = nil
        end = end + (now - since)
    }

    /// Ends the body with this window, in `limit` at the latest.
    package mutating func limitRemaining(within limit: TimeAmount, now: NIODeadline) {
        bytesWanted = nil
        end = min(end, now + limit)
    }

    package mutating func verdict(at now: NIODeadline) -> Verdict {
        if heldSince != nil { return .checkAgain(at: now + limit) }
        guard now >= end else { return .checkAgain(at: end) }
        guard let bytesWanted, bytes >= bytesWanted else { return .late }
        bytes = 0
        end = now + limit
        return .checkAgain(at: end)
    }
}
