import HTTPTypes
package import Metrics
import NIOCore
import ParleyMessaging
import Synchronization

/// The readers of the stream of events on this node: their limit, and their metrics.
///
/// A `Mutex` protects the lags of the readers.
package final class EventFollowers: Sendable {
    /// The times of a reader.
    struct Times: Sendable {
        /// The pause before the database is asked again for events that are not stored yet.
        var pause = Duration.milliseconds(250)
        /// The time after which a silent stream sends its cursor again.
        var silence = Duration.seconds(15)
        /// The time after which a stream of a group extends the lease of its worker, a fraction of `Messaging.eventLease`.
        var lease = Duration.seconds(5)
        /// The time that a client may take to read a part.
        var part = TimeAmount.seconds(30)
    }

    let times = Times()
    private let maximum: Int
    private let isDraining: @Sendable () -> Bool
    /// The lag of each reader, in seconds.
    private let lags = Mutex<(next: Int, byReader: [Int: Double])>((next: 0, byReader: [:]))
    private let count: Gauge
    private let lag: Gauge
    private let sent: Counter

    /// - Parameters:
    ///   - maximum: The maximum number of readers.
    ///   - isDraining: Whether the node has begun to shut down, which ends the streams.
    ///   - factory: Makes `parley_events_followers`, `parley_events_lag_seconds` and `parley_events_sent_total`.
    package init(
        maximum: Int = 16, isDraining: @escaping @Sendable () -> Bool = { false },
        metrics factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.maximum = maximum
        self.isDraining = isDraining
        count = Gauge(label: "parley_events_followers", factory: factory)
        lag = Gauge(label: "parley_events_lag_seconds", factory: factory)
        sent = Counter(label: "parley_events_sent_total", factory: factory)
        count.record(0)
        lag.record(0)
    }

    /// The place of one reader, which becomes free when it is released: a response may be dropped before its body begins.
    package final class Place: Sendable {
        private let followers: EventFollowers
        private let id: Int
        private let isClosed = Atomic(false)

        fileprivate init(_ followers: EventFollowers, _ id: Int) {
            self.followers = followers
            self.id = id
        }

        deinit {
            followers.end(id)
        }

        /// Whether the stream must end.
        package var mustEnd: Bool { isClosed.load(ordering: .relaxed) || followers.isDraining() }

        /// Records that the client has hung up.
        package func close() {
            isClosed.store(true, ordering: .relaxed)
        }

        /// Records a part that was sent.
        /// - Parameter seconds: The age of its last event if later ones are stored; 0 if it was the last.
        func note(events: Int, lag seconds: Double) {
            followers.note(id, events, seconds)
        }
    }

    /// - Throws: `rateLimited` if the limit is reached.
    package func begin() throws -> Place {
        let id = lags.withLock { lags -> Int? in
            guard lags.byReader.count < maximum else { return nil }
            lags.next &+= 1
            lags.byReader[lags.next] = 0
            count.record(lags.byReader.count)
            return lags.next
        }
        guard let id else {
            var error = APIError(
                .rateLimited,
                "this node has \(maximum) readers of events, which is the limit; another node may have fewer")
            error.headers[.retryAfter] = "2"
            throw error
        }
        return Place(self, id)
    }

    private func end(_ id: Int) {
        lags.withLock { lags in
            lags.byReader[id] = nil
            count.record(lags.byReader.count)
            lag.record(lags.byReader.values.max() ?? 0)
        }
    }

    private func note(_ id: Int, _ events: Int, _ seconds: Double) {
        if events > 0 { sent.increment(by: events) }
        lags.withLock { lags in
            lags.byReader[id] = seconds
            lag.record(lags.byReader.values.max() ?? 0)
        }
    }
}
