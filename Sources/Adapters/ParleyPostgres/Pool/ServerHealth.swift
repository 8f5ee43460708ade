import Logging
import Synchronization

/// The health of the server as seen by the connections of a pool. They share one `ReconnectGate`, and each change is
/// logged once. A mutex protects the state.
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

    /// Checks that an attempt to connect may be made now.
    /// - Throws: the reason of the last failure, during the pause that follows it.
    func pass() throws(PostgresError) {
        if let rejection = state.withLock({ $0.gate.rejection(at: .now) }) { throw rejection }
    }

    func connected() {
        let wasDown = state.withLock { state in
            state.gate.succeeded()
            return change(&state, isUp: true) == false
        }
        metrics.madeConnection()
        if wasDown { logger.info("PostgreSQL is available again") }
    }

    /// Records a failed attempt to connect.
    func failed(_ reason: PostgresError) {
        var generator = SystemRandomNumberGenerator()
        let before = state.withLock { state in
            state.gate.failed(reason, at: .now, using: &generator)
            return change(&state, isUp: false)
        }
        metrics.failedToConnect()
        if before != false { warn(reason) }
    }

    /// Records the loss of a connection.
    func lost(_ reason: PostgresError) {
        let before = state.withLock { state in change(&state, isUp: false) }
        metrics.lostConnection()
        if before != false { warn(reason) }
    }

    /// Records that a connection was closed because it was no longer needed.
    func closed() {
        metrics.lostConnection()
    }

    /// - Returns: the previous value of `isUp`.
    private func change(_ state: inout State, isUp: Bool) -> Bool? {
        defer { state.isUp = isUp }
        // Recorded under the lock, so that the metric ends up with the last change. An instrument never calls back.
        if state.isUp != isUp { metrics.isUp(isUp) }
        return state.isUp
    }

    private func warn(_ reason: PostgresError) {
        logger.warning("PostgreSQL is unavailable", metadata: ["reason": "\(reason.message)"])
    }
}
