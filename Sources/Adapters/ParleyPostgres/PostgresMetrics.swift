package import CoreMetrics
import Metrics

/// The metrics of a `PostgresStore`. They assume one store per process.
package struct PostgresMetrics: Sendable {
    /// 1 if the last attempt or call reached the server, else 0; 0 before the first attempt: `parley_postgres_up`.
    private let up: Gauge
    /// Open connections: `parley_postgres_connections`.
    private let connections: Meter
    /// Successful attempts to connect: `parley_postgres_connects_total{outcome="connected"}`.
    private let connected: Counter
    /// Failed attempts to connect: `parley_postgres_connects_total{outcome="failed"}`.
    private let failed: Counter
    /// Time that a call waited for a connection, usually close to zero: `parley_postgres_pool_wait_seconds`.
    private let waitTime: Metrics.Timer
    /// Calls waiting for a connection: `parley_postgres_pool_waiting`.
    private let waiting: Meter
    /// Calls that got no connection because the wait was too long, too many calls waited, or the caller was cancelled:
    /// `parley_postgres_pool_refused_total`.
    private let refused: Counter
    /// Time that a call used its connection, including failed calls: `parley_postgres_call_seconds{kind="…"}`; see
    /// `CallKind`.
    private let callTimes: [CallKind: Metrics.Timer]

    package init(factory: any MetricsFactory) {
        up = Gauge(label: "parley_postgres_up", factory: factory)
        connections = Meter(label: "parley_postgres_connections", factory: factory)
        func connects(_ outcome: String) -> Counter {
            Counter(label: "parley_postgres_connects_total", dimensions: [("outcome", outcome)], factory: factory)
        }
        (connected, failed) = (connects("connected"), connects("failed"))
        waitTime = Metrics.Timer(label: "parley_postgres_pool_wait_seconds", factory: factory)
        waiting = Meter(label: "parley_postgres_pool_waiting", factory: factory)
        refused = Counter(label: "parley_postgres_pool_refused_total", factory: factory)
        callTimes = Dictionary(
            uniqueKeysWithValues: CallKind.allCases.map { kind in
                let dimensions = [("kind", kind.rawValue)]
                return (
                    kind, Metrics.Timer(label: "parley_postgres_call_seconds", dimensions: dimensions, factory: factory)
                )
            })
        up.record(0)
    }

    func isUp(_ isUp: Bool) { up.record(isUp ? 1 : 0) }

    func madeConnection() {
        connected.increment()
        connections.increment(by: 1)
    }

    func lostConnection() { connections.decrement(by: 1) }

    func failedToConnect() { failed.increment() }

    func startedWaiting() { waiting.increment(by: 1) }

    func stoppedWaiting() { waiting.decrement(by: 1) }

    func waited(_ duration: Duration) { waitTime.record(duration: duration) }

    func refusedCall() { refused.increment() }

    func called(_ kind: CallKind, for duration: Duration) { callTimes[kind]?.record(duration: duration) }
}
