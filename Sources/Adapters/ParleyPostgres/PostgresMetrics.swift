package import CoreMetrics
import Metrics

/// The metrics of a `PostgresStore`. They assume that a process has only one store.
package struct PostgresMetrics: Sendable {
    /// `parley_postgres_up`: 1 if the last attempt or call reached the server, otherwise 0; 0 before the first attempt.
    private let up: Gauge
    /// `parley_postgres_connections`: the number of open connections.
    private let connections: Meter
    /// `parley_postgres_connects_total{outcome="connected"}`: successful attempts to connect.
    private let connected: Counter
    /// `parley_postgres_connects_total{outcome="failed"}`: failed attempts to connect.
    private let failed: Counter
    /// `parley_postgres_pool_wait_seconds`: the time that a call waited for a connection, usually close to zero.
    private let waitTime: Metrics.Timer
    /// `parley_postgres_pool_waiting`: the number of calls that are waiting for a connection.
    private let waiting: Meter
    /// `parley_postgres_pool_refused_total`: calls that did not get a connection, because the wait took too long, too
    /// many calls were waiting, or the caller was cancelled.
    private let refused: Counter
    /// `parley_postgres_call_seconds{kind="…"}`: the time that a call used its connection, including failed calls; see
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
