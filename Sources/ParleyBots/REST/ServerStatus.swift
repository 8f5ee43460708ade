import NIOCore
import NIOHTTP1

/// What a server says of itself in `/metrics`, summed over all servers of a run.
package struct ServerStatus: Hashable, Sendable {
    /// Processor seconds since its start.
    package var cpuSeconds = 0.0
    /// Resident bytes.
    package var residentBytes = 0.0
    /// Servers that have answered.
    package var servers = 0
    /// All other counters, by name without labels.
    package var counters: [String: Double] = [:]

    package init() {}

    /// Reads the Prometheus text format; lines that are none are ignored.
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

    /// Asks all servers; who does not answer is left out.
    static func read(_ doors: [Door], on loop: any EventLoop, isLenient: Bool) async -> ServerStatus {
        var status = ServerStatus()
        for door in doors {
            let tls = door.isTLS ? try? TLS.context(isLenient: isLenient) : nil
            guard let connection = try? await RESTConnection.open(door, headers: HTTPHeaders(), tls: tls, on: loop)
            else { continue }
            if let reply = try? await connection.call(.GET, "/metrics"), reply.status == 200 {
                status.add(String(buffer: reply.body))
            }
            await connection.close()
        }
        return status
    }
}
