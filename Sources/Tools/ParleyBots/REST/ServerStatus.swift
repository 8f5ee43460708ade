import NIOCore
import NIOHTTP1

/// The metrics of all servers of a run, summed.
package struct ServerStatus: Hashable, Sendable {
    /// CPU seconds since the start of the processes.
    package var cpuSeconds = 0.0
    /// Resident bytes.
    package var residentBytes = 0.0
    /// The number of servers that responded.
    package var servers = 0
    /// All other counters, by name without labels.
    package var counters: [String: Double] = [:]

    package init() {}

    /// Parses the Prometheus text format, ignoring invalid lines.
    package mutating func add(_ text: String) {
        servers += 1
        var counterNames: Set<Substring> = []
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                if words.count == 4, words[3] == "counter" { counterNames.insert(words[2]) }
            }
            guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...]), value.isFinite
            else { continue }
            let name = line[..<space].prefix { $0 != "{" }
            switch name {
            case "process_cpu_seconds_total": cpuSeconds += value
            case "process_resident_memory_bytes": residentBytes += value
            default: if counterNames.contains(name) { counters[String(name), default: 0] += value }
            }
        }
    }

    /// The time limit of a response.
    private static let timeout = TimeAmount.seconds(2)

    /// Reads all servers concurrently, and leaves out servers that do not respond.
    static func read(_ endpoints: [Endpoint], with client: RESTClient) async -> ServerStatus {
        await withTaskGroup(of: String?.self) { group in
            for endpoint in endpoints { group.addTask { await text(of: endpoint, client) } }
            var status = ServerStatus()
            for await text in group { if let text { status.add(text) } }
            return status
        }
    }

    private static func text(of endpoint: Endpoint, _ client: RESTClient) async -> String? {
        let reply = try? await client.call(.GET, "/metrics", at: endpoint, timeout: timeout)
        return reply.flatMap { $0.status == 200 ? String(buffer: $0.body) : nil }
    }
}
