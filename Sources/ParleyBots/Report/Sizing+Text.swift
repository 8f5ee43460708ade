extension Sizing {
    /// The required resources, as a table for a terminal.
    package var table: String {
        let need = need
        let rows = [
            (
                "deliveries",
                "\(Figure.grouped(Int(need.deliveries.rounded()))) a second in the busiest minute, "
                    + "\(Figure.short(need.megabits)) Mbit/s to clients"
            ),
            (
                "gateways",
                "\(need.gateways) of \(Figure.short(costs.nodeCores)) cores, one of them to spare; "
                    + "\(Figure.short(need.gatewayCores)) cores are busy; bound by \(need.bound)"
            ),
            (
                "Redis hosts",
                "\(need.redisHosts), \(Figure.short(need.redisCores)) cores are busy; "
                    + "\(Figure.short(need.redisGiB)) GiB of memory for a day of sends, all hosts together"
            ),
            ("persisters", "\(need.persisters), one of them to spare"),
            (
                "database",
                "\(Figure.grouped(Int(need.rowsPerDay.rounded()))) rows and \(Figure.short(need.gibPerDay)) GiB a day, "
                    + "\(Figure.short(need.gibPerDay * 365)) GiB a year"
            ),
            ("a node fails", "its sockets are back on the others within some \(Figure.short(need.failover)) s"),
        ]
        let width = 14
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }.joined(separator: "\n")
    }
}
