import Synchronization

/// How fast a user may send: a token bucket in one atomic word, shared by all sockets of the user on this node.
///
/// This is the generic cell rate algorithm (ITU-T I.371): the word is the instant at which the bucket would be full
/// again. No lock, so that sockets on several event loops can ask at once.
package final class SendRate: Sendable {
    /// The largest burst; a larger one is taken as this.
    package static let largestBurst = 1_000_000

    /// Microseconds that one send costs; 0 when there is no limit.
    private let cost: Int64
    /// Microseconds that may be run up at once.
    private let tolerance: Int64
    private let full = Atomic<Int64>(0)

    /// - Parameters:
    ///   - perSecond: sends per second, sustained; 0 for no limit.
    ///   - burst: sends at once; at least 1 is always possible.
    package init(perSecond: Int, burst: Int) {
        // Rounded up: at worst a little slower than asked, never faster.
        cost = perSecond > 0 ? 1 + (1_000_000 - 1) / Int64(perSecond) : 0
        tolerance = cost * Int64(min(max(burst, 1), Self.largestBurst))
    }

    /// Takes one send if there is one.
    /// - Parameter now: microseconds by a clock that never goes back.
    /// - Returns: 0 if the send is taken, else the microseconds to wait before it makes sense to ask again.
    package func take(at now: Int64) -> Int64 {
        guard cost > 0 else { return 0 }
        var seen = full.load(ordering: .relaxed)
        while true {
            let next = max(seen, now) + cost
            let wait = next - now - tolerance
            guard wait <= 0 else { return wait }
            let (exchanged, original) = full.weakCompareExchange(expected: seen, desired: next, ordering: .relaxed)
            if exchanged { return 0 }
            seen = original
        }
    }
}
