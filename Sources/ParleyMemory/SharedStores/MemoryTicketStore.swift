package import ParleyModel
import Synchronization

/// The tickets redeemed in one process, each until it is void anyway. Owned by a lock; bounded by `limit`.
package final class MemoryTicketStore: TicketStore {
    private struct State {
        /// Expiries by nonce.
        var redeemed: [String: Int64] = [:]
        /// When the expired ones go next.
        var nextSweep: Int64 = 0
    }

    /// Milliseconds between two sweeps, so that one redemption in many pays for them.
    private static let sweepInterval: Int64 = 1000

    private let limit: Int
    private let clock: WallClock
    private let state = Mutex(State())

    /// - Parameter limit: tickets remembered; above it none is accepted until some have expired, since forgetting one
    ///   would let it be used twice.
    package init(limit: Int = 100_000, clock: WallClock = .system) {
        self.limit = limit
        self.clock = clock
    }

    /// Also `false` for a ticket that has expired.
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
