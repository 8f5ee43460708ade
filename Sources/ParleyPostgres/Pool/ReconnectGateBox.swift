import Synchronization

/// The `ReconnectGate` of a pool, behind a mutex.
final class ReconnectGateBox: Sendable {
    private let gate: Mutex<ReconnectGate>

    init(cap: Duration) {
        gate = Mutex(ReconnectGate(cap: cap))
    }

    /// - Throws: why the last attempt failed, if it is too early for the next.
    func pass() throws(PostgresError) {
        if let refusal = gate.withLock({ $0.refusal(at: .now) }) { throw refusal }
    }

    func failed(_ reason: PostgresError) {
        var generator = SystemRandomNumberGenerator()
        gate.withLock { $0.failed(reason, at: .now, using: &generator) }
    }

    func succeeded() {
        gate.withLock { $0.succeeded() }
    }
}
