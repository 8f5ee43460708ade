package import Metrics

/// The metrics of the bus.
package struct BusMetrics: Sendable {
    /// Events, ephemeral events and control events delivered: `parley_bus_received_total`.
    package let received: Counter
    /// Payloads that cannot be decoded or are too large: `parley_bus_poison_total`.
    package let poison: Counter
    /// Events of Django in a thread's group: `parley_bus_foreign_total`.
    package let foreign: Counter
    /// Events of Django that are not messages and are not delivered to clients: `parley_bus_foreign_dropped_total`.
    package let foreignDropped: Counter
    /// Connections restored after a loss: `parley_bus_resubscribed_total`.
    package let resubscribed: Counter

    package init(factory: any MetricsFactory) {
        received = Counter(label: "parley_bus_received_total", factory: factory)
        poison = Counter(label: "parley_bus_poison_total", factory: factory)
        foreign = Counter(label: "parley_bus_foreign_total", factory: factory)
        foreignDropped = Counter(label: "parley_bus_foreign_dropped_total", factory: factory)
        resubscribed = Counter(label: "parley_bus_resubscribed_total", factory: factory)
    }
}
