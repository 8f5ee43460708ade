import Foundation
import ParleyTestServers
import ParleyTestSupport

/// `curl` on the stream of events of a process, and its output so far.
struct EventReader {
    let child: ChildProcess
    private let output: String

    /// - Parameter headers: Besides the API key.
    static func start(
        _ query: String, port: Int, key: String, headers: [String] = [], in directory: TemporaryDirectory, name: String
    ) async throws -> EventReader {
        let output = "\(directory.path)/\(name)"
        var arguments = ["-sN", "-H", "Authorization: Bearer \(key)"]
        for header in headers { arguments += ["-H", header] }
        arguments.append("http://127.0.0.1:\(port)/v1/admin/events?\(query)")
        let child = try await ChildProcess.start(
            "/usr/bin/curl", arguments, environment: [:], in: directory.path, output: output)
        return EventReader(child: child, output: output)
    }

    /// The complete lines.
    var lines: [String] {
        let data = FileManager.default.contents(atPath: output) ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    var objects: [JSONValue] { lines.compactMap { try? JSONValue(parsing: $0) } }
    var events: [JSONValue] { objects.compactMap { $0["event"] } }
    var texts: [String] { events.compactMap { $0["text"]?.string } }
    var cursor: String? { objects.compactMap { $0["cursor"]?.string }.last }
}
