package import ParleyJSON

extension LoadSample {
    /// The form between nodes and for operators.
    package var tree: JSONTree {
        .ordered([
            ("start_ms", .integer(start)), ("connections", .integer(Int64(connections))),
            ("messages_per_second", .rounded(messages)), ("deliveries_per_second", .rounded(deliveries)),
            ("lag_events", .integer(lagEvents)), ("lag_seconds", .rounded(lagSeconds)),
            ("requests_per_second", .rounded(requests)), ("request_ms", .rounded(requestMilliseconds)),
        ])
    }

    /// Returns `nil` if the tree is not a sample.
    package init?(_ tree: JSONTree) {
        guard let start = tree["start_ms"]?.integer else { return nil }
        self.init(start: start)
        connections = tree.count("connections")
        messages = tree["messages_per_second"]?.double ?? 0
        deliveries = tree["deliveries_per_second"]?.double ?? 0
        lagEvents = Int64(tree.count("lag_events"))
        lagSeconds = tree["lag_seconds"]?.double ?? 0
        requests = tree["requests_per_second"]?.double ?? 0
        requestMilliseconds = tree["request_ms"]?.double ?? 0
    }
}
