import ParleyTestSupport

/// The samples of one response to `GET /metrics`.
package struct Metrics: Sendable {
    /// By name and labels as written, such as `parley_messages_total{dialect="classic"}`.
    package let samples: [String: Double]

    /// - Parameter text: The Prometheus text exposition format.
    package init(parsing text: String) {
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            samples[String(line[..<space])] = value
        }
        self.samples = samples
    }

    /// The sum of the metric `name` over all labels; `nil` if there is no such metric.
    package func sum(_ name: String, where label: String = "") -> Double? {
        let found = samples.filter { key, _ in
            (key == name || key.hasPrefix(name + "{")) && (label.isEmpty || key.contains(label))
        }
        return found.isEmpty ? nil : found.values.reduce(0, +)
    }
}

extension ParleyProcess {
    /// Reads `/metrics`.
    package func metrics() async throws -> Metrics {
        let reply = try await http.get("/metrics")
        guard reply.status == 200 else { throw TestUser.Unexpected(call: "/metrics", reply: reply) }
        return Metrics(parsing: reply.text)
    }
}
