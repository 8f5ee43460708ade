import Logging
import Synchronization

/// Whether the server answers, as the connections of a pool see it: they share one `ReconnectGate`, and one log line
/// tells of each change. State is behind a mutex.
final class ServerHealth: Sendable {
    private struct State {
        var gate: ReconnectGate
        /// `nil` before the first attempt.
        var isUp: Bool?
    }

    private let state: Mutex<State>
    private let metrics: PostgresMetrics
    private let logger: Logger

    init(cap: Duration, metrics: PostgresMetrics, logger: Logger) {
        state = Mutex(State(gate: ReconnectGate(cap: cap)))
        self.metrics = metrics
        self.logger = logger
    }

    /// - Throws: why the last attempt to connect failed, if it is too early for the next.
    func pass() throws(PostgresError) {
        if let rejection = state.withLock({ $0.gate.rejection(at: .now) }) { throw rejection }
    }

    func connected() {
        let wasDown = state.withLock { state in
            state.gate.succeeded()
            return change(&state, isUp: true) == false
        }
        metrics.madeConnection()
        if wasDown { logger.info("PostgreSQL answers again") }
    }

    /// An attempt to connect failed.
    func failed(_ reason: PostgresError) {
        var generator = SystemRandomNumberGenerator()
        let before = state.withLock { state in
            state.gate.failed(reason, at: .now, using: &generator)
            return change(&state, isUp: false)
        }
        metrics.failedToConnect()
        if before != false { warn(reason) }
    }

    /// A connection is gone that was there.
    func lost(_ reason: PostgresError) {
        let before = state.withLock { state in change(&state, isUp: false) }
        metrics.lostConnection()
        if before != false { warn(reason) }
    }

    /// A connection was closed because it is not needed any more.
    func closed() {
        metrics.lostConnection()
    }

    /// - Returns: what it was before.
    private func change(_ state: inout State, isUp: Bool) -> Bool? {
        defer { state.isUp = isUp }
        // Under the lock, so that the last change is the one that stays; an instrument calls nobody back.
        if state.isUp != isUp { metrics.isUp(isUp) }
        return state.isUp
    }

    private func warn(_ reason: PostgresError) {
        logger.warning("PostgreSQL does not answer", metadata: ["reason": "\(reason.message)"])
    }
}
