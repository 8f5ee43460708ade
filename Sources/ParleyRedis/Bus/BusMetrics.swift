package import Metrics

/// What the bus counts.
package struct BusMetrics: Sendable {
    /// Events, notices and control events delivered: `parley_bus_received_total`.
    let received: Counter
    /// Payloads that nobody can read, or that are too large: `parley_bus_poison_total`.
    let poison: Counter
    /// Events in a thread's group that are not ours, from Django: `parley_bus_foreign_total`.
    let foreign: Counter
    /// Those of them that are no message and so are shown to nobody: `parley_bus_foreign_dropped_total`.
    let foreignDropped: Counter
    /// Times that a lost connection came back: `parley_bus_resubscribed_total`.
    let resubscribed: Counter

    package init(factory: any MetricsFactory) {
        received = Counter(label: "parley_bus_received_total", factory: factory)
        poison = Counter(label: "parley_bus_poison_total", factory: factory)
        foreign = Counter(label: "parley_bus_foreign_total", factory: factory)
        foreignDropped = Counter(label: "parley_bus_foreign_dropped_total", factory: factory)
        resubscribed = Counter(label: "parley_bus_resubscribed_total", factory: factory)
    }
}
