package import CoreMetrics
import Metrics
import ParleyMessaging
import ParleyModel
import Synchronization

/// The metrics of the webhooks that this process sends.
///
/// A `Mutex` protects the figures of the endpoints.
package final class WebhookMetrics: Sendable {
    private struct Figures {
        var lag = 0.0
        var waiting = 0
    }

    private let factory: any MetricsFactory
    private let figures = Mutex<[String: Figures]>([:])
    private let lag: Gauge
    private let waiting: Gauge
    private let events: Counter
    private let deadLetters: Counter

    /// - Parameter factory: Makes `parley_webhook_lag_seconds`, `parley_webhook_waiting_threads`,
    ///   `parley_webhook_events_total`, `parley_webhook_dead_letters_total` and `parley_webhook_requests_total`.
    package init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        lag = Gauge(label: "parley_webhook_lag_seconds", factory: factory)
        waiting = Gauge(label: "parley_webhook_waiting_threads", factory: factory)
        events = Counter(label: "parley_webhook_events_total", factory: factory)
        deadLetters = Counter(label: "parley_webhook_dead_letters_total", factory: factory)
        lag.record(0)
        waiting.record(0)
    }

    /// Records the state of an endpoint.
    /// - Parameters:
    ///   - seconds: The age of the oldest part of the stream that is not finished; 0 if everything is.
    ///   - threads: The number of threads that wait.
    func note(_ id: String, lag seconds: Double, waiting threads: Int) {
        figures.withLock { figures in
            figures[id] = Figures(lag: seconds, waiting: threads)
            record(figures)
        }
    }

    /// Forgets an endpoint to which this process no longer sends.
    func end(_ id: String) {
        figures.withLock { figures in
            figures[id] = nil
            record(figures)
        }
    }

    private func record(_ figures: [String: Figures]) {
        lag.record(figures.values.map(\.lag).max() ?? 0)
        waiting.record(figures.values.reduce(0) { $0 + $1.waiting })
    }

    func requested(_ count: Int, _ outcome: WebhookOutcome) {
        Counter(label: "parley_webhook_requests_total", dimensions: [("outcome", outcome.label)], factory: factory)
            .increment()
        if outcome == .accepted { events.increment(by: count) }
    }

    func buried() { deadLetters.increment() }
}

extension WebhookOutcome {
    fileprivate var label: String {
        switch self {
        case .accepted: "accepted"
        case .gone: "gone"
        case .later: "later"
        case .refused: "refused"
        case .failed: "failed"
        }
    }
}
