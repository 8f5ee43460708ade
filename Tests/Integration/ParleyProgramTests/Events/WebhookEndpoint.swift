import Foundation
import ParleyTestServers
import ParleyTestSupport

/// A process that receives webhooks (Tests/Fixtures/webhook_endpoint.py).
struct WebhookEndpoint {
    struct Request {
        let isSigned: Bool
        let status: Int
        let ids: [String]
        let texts: [String]
    }

    let port: Int
    private let directory: TemporaryDirectory
    private(set) var child: ChildProcess

    static func start() async throws -> WebhookEndpoint {
        let (port, directory) = (FreePort.next(), try TemporaryDirectory())
        for (name, text) in [("status", "200"), ("secrets", ""), ("requests", "")] {
            try text.write(toFile: "\(directory.path)/\(name)", atomically: true, encoding: .utf8)
        }
        return WebhookEndpoint(port: port, directory: directory, child: try await child(port, directory))
    }

    private static func child(_ port: Int, _ directory: TemporaryDirectory) async throws -> ChildProcess {
        try await ChildProcess.start(
            "/usr/bin/python3",
            [Repository.url("Tests/Fixtures/webhook_endpoint.py").path, "\(port)", directory.path],
            environment: [:], in: directory.path, output: "\(directory.path)/output")
    }

    var url: String { "http://127.0.0.1:\(port)/events" }

    /// The status of all answers from now on.
    func answer(_ status: Int) throws {
        try "\(status)".write(toFile: "\(directory.path)/status", atomically: true, encoding: .utf8)
    }

    func setSecrets(_ secrets: [String]) throws {
        try secrets.joined(separator: "\n").write(
            toFile: "\(directory.path)/secrets", atomically: true, encoding: .utf8)
    }

    mutating func restart() async throws {
        child.signal(SIGKILL)
        _ = try await child.exit(within: .patience)
        child = try await Self.child(port, directory)
    }

    /// All requests so far, in their order.
    var requests: [Request] {
        let data = FileManager.default.contents(atPath: "\(directory.path)/requests") ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard let json = try? JSONValue(parsing: String(line)) else { return nil }
            return Request(
                isSigned: json["signed"] == true, status: json["status"]?.int ?? 0,
                ids: json["ids"]?.array?.compactMap(\.string) ?? [],
                texts: json["texts"]?.array?.compactMap(\.string) ?? [])
        }
    }

    /// The texts of the events that were accepted.
    var texts: [String] { requests.filter { $0.status == 200 }.flatMap(\.texts) }
}
