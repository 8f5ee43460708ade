import Foundation
import ParleyTestServers
import ParleyTestSupport
import Synchronization

/// A Django project that records the events of a cluster (Tests/Django/recorder): a server that a webhook of the
/// cluster calls, and a worker of a group of readers. Both write to one SQLite file.
///
/// The processes die with this object. They are changed by one task at a time.
final class EventSite: Sendable {
    enum Part: String, CaseIterable, Sendable {
        /// The server with the webhook's view.
        case endpoint
        /// `manage.py parley_events --group`.
        case follower
    }

    private static let project = Repository.path + "/Tests/Django/recorder"
    private static let packages = ["parley-client", "parley-django"].map { Repository.path + "/python/\($0)/src" }
    private static let group = "recorder"

    private let cluster: Cluster
    private let python: String
    private let port: Int
    private let directory: TemporaryDirectory
    private let environment: [String: String]
    private let children = Mutex<[Part: ChildProcess]>([:])

    private init(
        cluster: Cluster, python: String, port: Int, directory: TemporaryDirectory, environment: [String: String]
    ) {
        self.cluster = cluster
        self.python = python
        self.port = port
        self.directory = directory
        self.environment = environment
    }

    deinit {
        children.withLock { for child in $0.values { child.signal(SIGKILL) } }
    }

    /// Makes the webhook and the database, and starts both processes.
    static func start(on cluster: Cluster) async throws -> EventSite {
        let python = try await DjangoPython.packagesPath()
        let (port, directory) = (FreePort.next(), try TemporaryDirectory())
        let made = try await cluster.rest().post(
            "/v1/admin/webhooks",
            json: ["url": .string("http://127.0.0.1:\(port)/parley/"), "after": "start", "batch": 20])
        guard made.status == 201, let secret = try made.json()["secret"]?.string else {
            throw TestUser.Unexpected(call: "a webhook", reply: made)
        }
        let environment = ParleyBinary.environment([
            "PYTHONPATH": (packages + [project]).joined(separator: ":"), "PYTHONUNBUFFERED": "1",
            "RECORDER_DATABASE": directory.path + "/site.db", "RECORDER_KEY": Cluster.apiKey,
            "RECORDER_PARLEY": cluster.persisters[0].baseURL, "RECORDER_SECRETS": secret,
        ])
        let site = EventSite(
            cluster: cluster, python: python, port: port, directory: directory, environment: environment)
        _ = try await site.run(["migrate", "--run-syncdb", "--verbosity", "0"])
        for part in Part.allCases { try await site.restart(part) }
        return site
    }

    /// Kills a process with SIGKILL.
    func kill(_ part: Part) async throws {
        guard let child = children.withLock({ $0[part] }) else { return }
        child.signal(SIGKILL)
        _ = try await child.exit(within: .patience)
    }

    /// Starts a process again, and does not wait until it is ready: a kill may meet its start.
    func restart(_ part: Part) async throws {
        try await kill(part)
        let arguments =
            switch part {
            case .endpoint: ["runserver", "--noreload", "--skip-checks", "127.0.0.1:\(port)"]
            case .follower:
                ["parley_events", "--consumer", "group", "--group", Self.group, "--worker", "recorder"]
            }
        let child = try await launch(arguments, output: logPath(part))
        children.withLock { $0[part] = child }
    }

    /// The last lines of both processes, for a failure's message.
    func logs() -> String {
        Part.allCases.map { part in
            "\(part): " + ((try? String(contentsOfFile: logPath(part), encoding: .utf8))?.suffix(2000) ?? "")
        }.joined(separator: "\n--\n")
    }

    // MARK: Progress

    /// Whether the webhook and the group are behind no event.
    /// - Throws: if there are dead letters, or the webhook is disabled, since it never catches up then.
    func hasCaughtUp() async throws -> Bool {
        let webhooks = try await cluster.rest().get("/v1/admin/webhooks").json()["webhooks"]?.array ?? []
        let groups = try await cluster.rest().get("/v1/admin/event-groups").json()["groups"]?.array ?? []
        guard let webhook = webhooks.first, let group = groups.first(where: { $0["name"]?.string == Self.group })
        else { return false }
        guard webhook["enabled"] == true, webhook["dead_letters"] == 0 else {
            throw TestUser.Unexpected(
                call: "the webhook", reply: HTTPReply(status: 200, headers: [], body: Array(webhook.text.utf8)))
        }
        return webhook["lag_ms"] == .null && webhook["waiting_threads"] == 0 && group["lag_ms"] == .null
    }

    /// Ends the pauses of the webhook, as an operator does who knows that the endpoint is well again.
    func endPauses() async throws {
        let rest = cluster.rest()
        for webhook in try await rest.get("/v1/admin/webhooks").json()["webhooks"]?.array ?? [] {
            let reply = try await rest.send(
                "PATCH", "/v1/admin/webhooks/\(webhook["id"]?.string ?? "")",
                headers: [("Content-Type", "application/json")], body: Array(#"{"enabled":true}"#.utf8))
            guard reply.status == 200 else { throw TestUser.Unexpected(call: "the end of pauses", reply: reply) }
        }
    }

    /// All arrivals so far, in the order of their commits.
    func arrivals() async throws -> [EventArrival] {
        try await run(["arrivals"]).map { columns in
            guard columns.count == 4 else { throw DjangoPeer.Unexpected(description: "\(columns)") }
            return EventArrival(
                transport: columns[0], process: columns[1], id: columns[2], body: try JSONValue(parsing: columns[3]))
        }
    }

    /// The history of threads over REST, each in its order, by the same client that has read the arrivals.
    func history(of threads: [String]) async throws -> [EventArrival] {
        try await run(["history"] + threads).map { columns in
            guard columns.count == 2 else { throw DjangoPeer.Unexpected(description: "\(columns)") }
            return EventArrival(
                transport: "history", process: "", id: columns[0], body: try JSONValue(parsing: columns[1]))
        }
    }

    // MARK: Processes

    private func logPath(_ part: Part) -> String { directory.path + "/\(part.rawValue).log" }

    private func launch(_ arguments: [String], output: String) async throws -> ChildProcess {
        try await ChildProcess.start(
            python, [Self.project + "/manage.py"] + arguments, environment: environment, in: directory.path,
            output: output)
    }

    /// Runs a command to its end.
    /// - Returns: the columns of its lines.
    private func run(_ arguments: [String]) async throws -> [[String]] {
        let output = directory.path + "/output-\(UUID())"
        let end = try await launch(arguments, output: output).exit(within: .seconds(120))
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard end == .exited(0) else {
            throw DjangoPeer.Unexpected(description: "\(arguments[0]) ended: \(end)\n\(text.suffix(2000))")
        }
        return text.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
