import ParleyModel
import Synchronization

/// What was revoked, with a switch that takes it away.
final class TestRevocations: RevocationLedger {
    struct State: Sendable {
        var entries: [Revocation: Int64] = [:]
        var isAway = false
        var reads = 0
    }

    private let state = Mutex(State())

    var entries: [Revocation: Int64] { state.withLock { $0.entries } }
    var reads: Int { state.withLock { $0.reads } }

    func setAway(_ isAway: Bool) {
        state.withLock { $0.isAway = isAway }
    }

    func revoke(_ revocation: Revocation, until expiry: Int64) async {
        state.withLock { $0.entries[revocation] = expiry }
    }

    func isRevoked(_ revocations: [Revocation]) async throws(LedgerError) -> Bool {
        let answer = state.withLock { state -> Bool? in
            state.reads += 1
            return state.isAway ? nil : revocations.contains { state.entries[$0] != nil }
        }
        guard let answer else { throw .unavailable("away") }
        return answer
    }
}
