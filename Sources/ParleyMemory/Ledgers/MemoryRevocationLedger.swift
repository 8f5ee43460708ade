package import ParleyModel
import Synchronization

/// The revocations of one process. Owned by a lock; bounded by `limit`.
///
/// A process that has just begun does not know what was revoked before it, so for the lifetime of a ticket it answers
/// nothing.
package final class MemoryRevocationLedger: RevocationLedger {
    private struct State {
        /// Expiries, Unix milliseconds.
        var entries: [Revocation: Int64] = [:]
        /// Until when entries may be missing.
        var unsureUntil: Int64
        /// When the expired ones go next.
        var nextSweep: Int64 = 0
    }

    /// Milliseconds between two sweeps, so that one entry in many pays for them.
    private static let sweepInterval: Int64 = 1000

    private let limit: Int
    private let clock: WallClock
    private let state: Mutex<State>

    /// - Parameters:
    ///   - memory: how long entries made before this process may still count.
    ///   - limit: entries remembered; while one more would be needed, nothing is answered.
    package init(memory: Duration = Revocation.ticketLifetime, limit: Int = 100_000, clock: WallClock = .system) {
        self.limit = limit
        self.clock = clock
        state = Mutex(State(unsureUntil: clock.milliseconds + Int64(memory / .milliseconds(1))))
    }

    /// How many entries are remembered.
    package var count: Int { state.withLock { $0.entries.count } }

    package func revoke(_ revocation: Revocation, until expiry: Int64) async {
        let now = clock.milliseconds
        guard expiry > now else { return }
        state.withLock { state in
            if now >= state.nextSweep {
                state.entries = state.entries.filter { $0.value > now }
                state.nextSweep = now + Self.sweepInterval
            }
            if let known = state.entries[revocation] {
                state.entries[revocation] = max(known, expiry)
            } else if state.entries.count < limit {
                state.entries[revocation] = expiry
            } else {
                state.unsureUntil = max(state.unsureUntil, expiry)
            }
        }
    }

    package func isRevoked(_ revocations: [Revocation]) async throws(LedgerError) -> Bool {
        let now = clock.milliseconds
        let answer = state.withLock { state -> Bool? in
            if revocations.contains(where: { state.entries[$0].map { $0 > now } ?? false }) { return true }
            return state.unsureUntil > now ? nil : false
        }
        guard let answer else { throw .unavailable("not everything that was revoked is known yet") }
        return answer
    }
}
