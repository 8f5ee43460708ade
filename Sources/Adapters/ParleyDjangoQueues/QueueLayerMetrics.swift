import Metrics

/// The metrics of the core layer.
struct QueueLayerMetrics: Sendable {
    /// Events taken from this node's queues: `parley_channels_received_total`.
    let received: Counter
    /// Entries written to Django's queues for messages: `parley_channels_sent_total`.
    let sent: Counter
    /// Entries left out because the queue was full: `parley_channels_over_capacity_total`.
    let overCapacity: Counter
    /// Messages that Django does not receive because they were too old or Redis was unavailable:
    /// `parley_channels_missed_total`.
    let missed: Counter
    /// Events for threads that the node has left: `parley_channels_unwanted_total`.
    let unwanted: Counter

    init(factory: any MetricsFactory) {
        received = Counter(label: "parley_channels_received_total", factory: factory)
        sent = Counter(label: "parley_channels_sent_total", factory: factory)
        overCapacity = Counter(label: "parley_channels_over_capacity_total", factory: factory)
        missed = Counter(label: "parley_channels_missed_total", factory: factory)
        unwanted = Counter(label: "parley_channels_unwanted_total", factory: factory)
    }
}
