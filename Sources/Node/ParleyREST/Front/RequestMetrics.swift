import HTTPTypes
import Metrics
import Synchronization

/// `parley_http_request_duration_seconds`: the time from the head of a request to its response, by `route`, `method`, `status`.
///
/// A `Mutex` protects the timers. Their number is bounded by the routes, nine methods and the status codes in use.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    private let factory: any MetricsFactory
    private let timers = Mutex<[Key: Metrics.Timer]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// - Parameter route: A label of the route table.
    func record(route: String, method: HTTPRequest.Method, status: HTTPResponse.Status, duration: Duration) {
        let method = Self.methods.contains(method) ? method.rawValue : "other"
        let key = Key(route: route, method: method, status: status.code)
        let timer = timers.withLock { timers in
            if let known = timers[key] { return known }
            let timer = Metrics.Timer(
                label: "parley_http_request_duration_seconds",
                dimensions: [("route", route), ("method", method), ("status", String(status.code))], factory: factory)
            timers[key] = timer
            return timer
        }
        timer.record(duration: duration)
    }
}
