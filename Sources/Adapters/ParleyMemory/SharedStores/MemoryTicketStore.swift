package import ParleyModel
import Synchronization

/// The tickets redeemed in one process, each kept until it expires. Protected by a lock; bounded by `limit`.
package final class MemoryTicketStore: TicketStore {
    private struct State {
        /// Expiries by nonce.
        var redeemed: [String: Int64] = [:]
        /// When expired tickets are removed next.
        var nextSweep: Int64 = 0
    }

    /// Milliseconds between two sweeps, so that not every redemption scans the tickets.
    private static let sweepInterval: Int64 = 1000

    private let limit: Int
    private let clock: WallClock
    private let state = Mutex(State())

    /// - Parameter limit: the maximum number of remembered tickets. Above it none is accepted until some have expired,
    ///   since a forgotten ticket could be used twice.
    package init(limit: Int = 100_000, clock: WallClock = .system) {
        self.limit = limit
        self.clock = clock
    }

    /// Redeems a ticket; `false` also for one that has expired.
    package func redeem(_ nonce: String, until expiry: Int64) async -> Bool {
        let now = clock.milliseconds
        guard expiry > now else { return false }
        return state.withLock { state in
            if now >= state.nextSweep {
                state.redeemed = state.redeemed.filter { $0.value > now }
                state.nextSweep = now + Self.sweepInterval
            }
            guard state.redeemed[nonce] == nil, state.redeemed.count < limit else { return false }
            state.redeemed[nonce] = expiry
            return true
        }
    }
}
