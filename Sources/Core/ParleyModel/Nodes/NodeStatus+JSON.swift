package import ParleyJSON

extension NodeStatus {
    /// The form that nodes write to the registry, and that operators read.
    package var tree: JSONTree {
        .object([
            "instance": .text(instance), "node": .text(name), "role": .text(role), "version": .text(version),
            "started_ms": .integer(started), "date_ms": .integer(date), "draining": .bool(isDraining),
            "sockets": .integer(Int64(sockets)), "line_sockets": .integer(Int64(lines)),
            "connections": .integer(Int64(connections)), "users": .integer(Int64(users)),
            "threads": .integer(Int64(threads)), "messages_in_per_second": .rounded(messagesIn),
            "events_per_second": .rounded(events), "deliveries_per_second": .rounded(deliveries),
            "stored_per_second": .rounded(stored), "cpu": .rounded(cpu), "resident_bytes": .integer(residentBytes),
            "redis": redis?.tree, "database": database?.tree, "persister": persister?.tree,
            "pushes": pushTree, "busiest": .array(busiest.map(\.tree)),
        ])
    }

    /// The attempts by service and result; `nil` without a service.
    private var pushTree: JSONTree? {
        if pushes.isEmpty { return nil }
        return .object(
            pushes.map { kind, counts in
                let members = PushResult.allCases.map { result in
                    JSONTree.Member(result.rawValue, .integer(Int64(counts[result] ?? 0)))
                }
                return JSONTree.Member(kind.rawValue, .object(members))
            })
    }

    /// Returns `nil` if the tree is not a status.
    package init?(_ tree: JSONTree) {
        guard let instance = tree["instance"]?.text, let name = tree["node"]?.text, let role = tree["role"]?.text,
            let version = tree["version"]?.text, let started = tree["started_ms"]?.integer,
            let date = tree["date_ms"]?.integer
        else { return nil }
        self.init(instance: instance, name: name, role: role, version: version, started: started, date: date)
        isDraining = tree["draining"] == .bool(true)
        sockets = tree.count("sockets")
        lines = tree.count("line_sockets")
        connections = tree.count("connections")
        users = tree.count("users")
        threads = tree.count("threads")
        messagesIn = tree["messages_in_per_second"]?.double ?? 0
        events = tree["events_per_second"]?.double ?? 0
        deliveries = tree["deliveries_per_second"]?.double ?? 0
        stored = tree["stored_per_second"]?.double ?? 0
        cpu = tree["cpu"]?.double ?? 0
        residentBytes = tree["resident_bytes"]?.integer ?? 0
        redis = tree["redis"].flatMap { LinkStatus($0) }
        database = tree["database"].flatMap { LinkStatus($0) }
        persister = tree["persister"].flatMap { PersisterStatus($0) }
        for kind in PushAddress.Kind.allCases {
            guard let counts = tree["pushes"]?[kind.rawValue] else { continue }
            for result in PushResult.allCases { pushes[kind, default: [:]][result] = counts.count(result.rawValue) }
        }
        busiest = (tree["busiest"]?.elements ?? []).prefix(Self.maximumBusiest).compactMap { ThreadRate($0) }
    }
}

extension LinkStatus {
    package var tree: JSONTree {
        .object([
            "state": .text(problem == nil ? "up" : "unavailable"), "latency_ms": .rounded(milliseconds),
            "reason": problem.map { .text($0) },
        ])
    }

    init?(_ tree: JSONTree) {
        guard let state = tree["state"]?.text, let milliseconds = tree["latency_ms"]?.double else { return nil }
        self.init(problem: state == "up" ? nil : tree["reason"]?.text ?? "", milliseconds: milliseconds)
    }
}

extension PersisterStatus {
    package var tree: JSONTree {
        .object([
            "partitions": .integer(Int64(partitions)), "lag_events": .integer(lagEvents),
            "lag_seconds": .rounded(lagSeconds),
        ])
    }

    init?(_ tree: JSONTree) {
        guard let lagEvents = tree["lag_events"]?.integer, let lagSeconds = tree["lag_seconds"]?.double else {
            return nil
        }
        self.init(partitions: tree.count("partitions"), lagEvents: lagEvents, lagSeconds: lagSeconds)
    }
}

extension ThreadRate {
    package var tree: JSONTree {
        .object(["thread_id": .text(thread.text), "events_per_second": .rounded(eventsPerSecond)])
    }

    init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text.flatMap({ ThreadID($0) }),
            let rate = tree["events_per_second"]?.double
        else { return nil }
        self.init(thread: thread, eventsPerSecond: rate)
    }
}

extension JSONTree {
    /// Returns a number rounded to two decimals, or 0 if it is not finite.
    package static func rounded(_ value: Double) -> JSONTree {
        let rounded = (value * 100).rounded() / 100
        return .number(rounded.isFinite ? rounded : 0)
    }

    /// The value of an integer or a floating-point number.
    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// Returns a non-negative integer member of an object, or 0 if there is none. The value is bounded so that the sum over all
    /// nodes cannot overflow.
    func count(_ key: String) -> Int {
        Int(min(max(0, self[key]?.integer ?? 0), LogBounds.seqs.upperBound))
    }
}
