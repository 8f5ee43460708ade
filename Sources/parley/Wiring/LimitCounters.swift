import Metrics
import ParleyModel

/// Counts what comes to a limit outside of the socket doors, which count by themselves.
struct LimitCounters: Sendable {
    private let counters: [ReachedLimit: Counter]

    init(factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: ReachedLimit.allCases.map { limit in
                let dimensions = [("limit", limit.rawValue)]
                return (limit, Counter(label: "parley_limits_reached_total", dimensions: dimensions, factory: factory))
            })
    }

    @Sendable func reached(_ limit: ReachedLimit) { counters[limit]?.increment() }
}
