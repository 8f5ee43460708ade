import Metrics

/// `parley_page_reads_total` by `outcome`: `read` is a query of the store, `shared` a response without its own query.
struct SingleFlightMetrics: Sendable {
    let read: Counter
    let shared: Counter

    init(factory: any MetricsFactory) {
        read = Counter(label: "parley_page_reads_total", dimensions: [("outcome", "read")], factory: factory)
        shared = Counter(label: "parley_page_reads_total", dimensions: [("outcome", "shared")], factory: factory)
    }
}
