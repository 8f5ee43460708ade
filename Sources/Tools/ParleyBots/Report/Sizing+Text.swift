extension Sizing {
    /// The required resources, as a table for a terminal.
    package var table: String {
        let requirements = requirements
        let rows = [
            (
                "deliveries",
                "\(Figure.grouped(Int(requirements.deliveries.rounded()))) a second in the busiest minute, "
                    + "\(Figure.short(requirements.megabits)) Mbit/s to clients"
            ),
            (
                "gateways",
                "\(requirements.gateways) of \(Figure.short(costs.nodeCores)) cores, one of them to spare; "
                    + "\(Figure.short(requirements.gatewayCores)) cores are busy; bound by \(requirements.bound)"
            ),
            (
                "Redis hosts",
                "\(requirements.redisHosts), \(Figure.short(requirements.redisCores)) cores are busy; "
                    + "\(Figure.short(requirements.redisGiB)) GiB of memory for a day of sends, all hosts together"
            ),
            ("persisters", "\(requirements.persisters), one of them to spare"),
            (
                "database",
                "\(Figure.grouped(Int(requirements.rowsPerDay.rounded()))) rows and "
                    + "\(Figure.short(requirements.gibPerDay)) GiB a day, "
                    + "\(Figure.short(requirements.gibPerDay * 365)) GiB a year"
            ),
            ("a node fails", "its sockets are back on the others within some \(Figure.short(requirements.failover)) s"),
        ]
        let width = 14
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }.joined(separator: "\n")
    }
}
