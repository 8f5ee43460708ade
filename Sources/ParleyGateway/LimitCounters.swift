package import Metrics
package import ParleyModel

/// `parley_limits_reached_total`, by the limit: for this room's doors, and for whoever else puts somebody off.
package struct LimitCounters: Sendable {
    private let counters: [ReachedLimit: Counter]

    package init(factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: ReachedLimit.allCases.map { limit in
                let dimensions = [("limit", limit.rawValue)]
                return (limit, Counter(label: "parley_limits_reached_total", dimensions: dimensions, factory: factory))
            })
    }

    @Sendable package func reached(_ limit: ReachedLimit) { counters[limit]?.increment() }
}
