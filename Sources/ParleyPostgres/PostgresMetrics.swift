package import CoreMetrics
import Metrics

/// The instruments of a `PostgresStore`; there should be one store in a process.
package struct PostgresMetrics: Sendable {
    /// `parley_postgres_up`: 1 if the server answered when it was last asked, else 0; 0 before it was asked.
    private let up: Gauge
    /// `parley_postgres_connections`: sessions with the server.
    private let connections: Meter
    /// `parley_postgres_connects_total{outcome="connected"}`: attempts to connect that succeeded.
    private let connected: Counter
    /// `parley_postgres_connects_total{outcome="failed"}`: attempts to connect that did not.
    private let failed: Counter
    /// `parley_postgres_pool_wait_seconds`: how long a call waited for a connection, mostly nothing.
    private let waitTime: Metrics.Timer
    /// `parley_postgres_pool_waiting`: calls that wait for a connection.
    private let waiting: Meter
    /// `parley_postgres_pool_refused_total`: calls that got none: the wait was too long, too many waited, or the caller
    /// went away.
    private let refused: Counter
    /// `parley_postgres_call_seconds{kind="…"}`: how long a call had its connection, failed calls too; see `CallKind`.
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

    func beganToWait() { waiting.increment(by: 1) }

    func endedToWait() { waiting.decrement(by: 1) }

    func waited(_ duration: Duration) { waitTime.record(duration) }

    func refusedCall() { refused.increment() }

    func called(_ kind: CallKind, for duration: Duration) { callTimes[kind]?.record(duration) }
}

extension Metrics.Timer {
    fileprivate func record(_ duration: Duration) {
        let parts = duration.components
        recordNanoseconds(parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    }
}
