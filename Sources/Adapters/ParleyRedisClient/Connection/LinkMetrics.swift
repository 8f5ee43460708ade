package import CoreMetrics

/// The metrics of one connection; the dimensions are `host` and `link`, which is `command` or `subscriber`.
package struct LinkMetrics: Sendable {
    /// 1 while the connection is usable, else 0: `parley_redis_up`.
    private let up: Gauge
    /// Connections established; all but the first are reconnects: `parley_redis_connects_total`.
    private let connects: Counter
    /// Usable connections lost: `parley_redis_lost_total`.
    private let lost: Counter
    /// Failed attempts to connect: `parley_redis_attempts_failed_total`.
    private let failed: Counter

    package init(host: String, link: String, factory: any MetricsFactory) {
        let dimensions = [("host", host), ("link", link)]
        up = Gauge(label: "parley_redis_up", dimensions: dimensions, factory: factory)
        connects = Counter(label: "parley_redis_connects_total", dimensions: dimensions, factory: factory)
        lost = Counter(label: "parley_redis_lost_total", dimensions: dimensions, factory: factory)
        failed = Counter(label: "parley_redis_attempts_failed_total", dimensions: dimensions, factory: factory)
        up.record(0)
    }

    func becameReady() {
        up.record(1)
        connects.increment()
    }

    func becameLost() {
        up.record(0)
        lost.increment()
    }

    func attemptFailed() {
        failed.increment()
    }
}
