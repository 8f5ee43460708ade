import CoreMetrics

/// What is told of one connection; the dimensions are `host` and `link`, which is `command` or `subscriber`.
struct LinkMetrics: Sendable {
    /// `parley_redis_up`: 1 while the connection can be used, else 0.
    private let up: Gauge
    /// `parley_redis_connects_total`: times that the connection was made; all but the first are reconnects.
    private let connects: Counter
    /// `parley_redis_lost_total`: connections that could be used and were lost.
    private let lost: Counter
    /// `parley_redis_attempts_failed_total`: attempts to connect that came to nothing.
    private let failed: Counter

    init(host: String, link: String, factory: any MetricsFactory) {
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
