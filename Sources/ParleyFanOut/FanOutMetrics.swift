package import Metrics

/// What the fan-out of this node tells about itself.
package struct FanOutMetrics: Sendable {
    /// Sockets that got an event, per event and event loop.
    private let size: Recorder
    /// Frames handed to sockets.
    private let deliveries: Counter
    /// Holes that were noticed in the order of a thread.
    private let gaps: Counter
    /// Events that could not be had from the log any more.
    private let lost: Counter
    /// Topics this node is subscribed to.
    private let topics: Gauge

    package init(factory: any MetricsFactory) {
        size = Recorder(label: "parley_fanout_sockets", dimensions: [], aggregate: true, factory: factory)
        deliveries = Counter(label: "parley_messages_out_total", factory: factory)
        gaps = Counter(label: "parley_sequence_gaps_total", factory: factory)
        lost = Counter(label: "parley_sequence_lost_total", factory: factory)
        topics = Gauge(label: "parley_bus_topics", factory: factory)
    }

    func fannedOut(to sockets: Int, deliveries count: Int) {
        guard sockets > 0 else { return }
        size.record(sockets)
        deliveries.increment(by: count)
    }

    func noticedGap() {
        gaps.increment()
    }

    func gaveUp(_ count: Int64) {
        lost.increment(by: count)
    }

    func subscribed(to count: Int) {
        topics.record(count)
    }
}
