package import NIOCore

/// Whether the body of one request arrives fast enough.
///
/// A body has `limit` to arrive in; a streamed one may take longer, as long as each `limit` brings as many bytes as its
/// rate demands. The time in which the server does not read, since it is busy with what has come, does not count.
package struct BodyClock {
    package enum Verdict: Hashable {
        case late
        /// To be asked again then.
        case look(NIODeadline)
    }

    private let limit: TimeAmount
    /// Of each window of `limit`; `nil`: there is one window only.
    private var bytesWanted: Int?
    private var end: NIODeadline
    private var bytes = 0
    /// Since when the server does not read; `nil` while it does.
    private var heldSince: NIODeadline?

    /// - Parameter bytesPerSecond: of a streamed body; `nil` for any other.
    package init(limit: TimeAmount, bytesPerSecond: Int?, now: NIODeadline) {
        self.limit = limit
        bytesWanted = bytesPerSecond.map { Int(clamping: Int64($0) * limit.nanoseconds / 1_000_000_000) }
        end = now + limit
    }

    package mutating func received(_ count: Int) {
        bytes += count
    }

    /// The server does not ask for more.
    package mutating func hold(at now: NIODeadline) {
        if heldSince == nil { heldSince = now }
    }

    /// The server asks for more.
    package mutating func release(at now: NIODeadline) {
        guard let since = heldSince else { return }
        heldSince = nil
        end = end + (now - since)
    }

    /// No more windows, and this one ends in `limit` at the latest.
    package mutating func hurry(within limit: TimeAmount, now: NIODeadline) {
        bytesWanted = nil
        end = min(end, now + limit)
    }

    package mutating func verdict(at now: NIODeadline) -> Verdict {
        if heldSince != nil { return .look(now + limit) }
        guard now >= end else { return .look(end) }
        guard let bytesWanted, bytes >= bytesWanted else { return .late }
        bytes = 0
        end = now + limit
        return .look(end)
    }
}
