import Foundation
import Synchronization

/// A PostgreSQL of the tests' own: a new cluster in a temporary directory, on a free port of 127.0.0.1.
///
/// It never writes for durability (`fsync` off) and is no service of the system: it is a child of the test runner, dies
/// with it, and its directory goes when it is stopped. The child is behind a mutex; `stop`, `kill` and `restart` belong
/// to one task at a time.
package final class PostgresServer: Sendable {
    /// The server could not be made or did not get ready.
    package struct NotReady: Error, CustomStringConvertible {
        package let reason: String
        package let log: String
        package var description: String { "PostgreSQL is not ready: \(reason)\n\(log.suffix(4000))" }
    }

    package static let user = "parley"
    package static let password = "not-a-secret"

    package let port: Int
    private let directory: TemporaryDirectory
    private let owner: PostgresOwner
    private let binaries: String
    private let child = Mutex<ChildProcess?>(nil)

    private var dataPath: String { directory.path + "/data" }
    private var logPath: String { directory.path + "/log" }

    private init() throws {
        binaries = try PostgresBinaries.directory()
        owner = try PostgresOwner.current()
        port = FreePort.next()
        directory = try TemporaryDirectory()
        try owner.take(directory.path)
    }

    /// Makes a cluster and starts it; takes one to three seconds.
    /// - Throws: ``NotReady``, ``PostgresBinaries/Missing``, ``TimedOut``.
    package static func start(within limit: Duration = .seconds(60)) async throws -> PostgresServer {
        let server = try PostgresServer()
        try await server.initialise(within: limit)
        try await server.launch(within: limit)
        return server
    }

    /// What `--database` and `PostgresSettings` take.
    package func url(database: String) -> String {
        "postgres://\(Self.user):\(Self.password)@127.0.0.1:\(port)/\(database)"
    }

    /// The process id of the server, `nil` while it is stopped.
    package var pid: Int32? { child.withLock { $0 }?.pid }

    package func logText() -> String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    /// Runs `psql` with one command.
    /// - Returns: its rows, a line each, columns separated by `|`.
    @discardableResult
    package func psql(_ sql: String, database: String = "postgres") async throws -> String {
        let output = directory.path + "/psql-\(UUID().uuidString)"
        let environment = ["PGPASSWORD": Self.password, "LC_ALL": "C.UTF-8"]
        let arguments = [
            "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", "\(port)", "-U", Self.user,
            "-d", database, "-c", sql,
        ]
        let process = try await ChildProcess.start(
            binaries + "/psql", arguments, environment: environment, in: directory.path, output: output)
        let end = try await process.exit(within: .seconds(60))
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        try? FileManager.default.removeItem(atPath: output)
        guard end == .exited(0) else { throw NotReady(reason: "psql ended: \(end)", log: text) }
        return text.trimmingCharacters(in: .newlines)
    }

    /// Makes an empty database with a name that no other has.
    package func makeDatabase() async throws -> String {
        let name = "test_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        try await psql("CREATE DATABASE \(name)")
        return name
    }

    /// Deletes a database, whoever is connected to it.
    package func drop(_ database: String) async throws {
        try await psql("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
    }

    /// Asks for a fast shutdown, which ends all sessions, and waits for it.
    package func stop(within limit: Duration = .seconds(30)) async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.signal(SIGINT)
        _ = try await child.exit(within: limit)
    }

    /// Ends it as a crash would.
    package func kill() async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.signal(SIGQUIT)
        _ = try await child.exit(within: .seconds(30))
    }

    /// Starts it again on the same port and data.
    package func restart(within limit: Duration = .seconds(60)) async throws {
        try await stop()
        try await launch(within: limit)
    }

    /// Ends it without waiting for a task, for the end of the test runner; waits 5 s at most.
    package func stopBlocking() {
        guard let pid else { return }
        child.withLock { $0 }?.signal(SIGQUIT)
        for _ in 0..<500 where !ChildProcess.isGone(pid) { usleep(10_000) }
        directory.remove()
    }

    // MARK: Starting

    private func initialise(within limit: Duration) async throws {
        let passwordPath = directory.path + "/password"
        try Self.password.write(toFile: passwordPath, atomically: false, encoding: .utf8)
        let process = try await run(
            "initdb",
            [
                "-D", dataPath, "-U", Self.user, "--pwfile", passwordPath, "--auth", "scram-sha-256", "-E", "UTF8",
                "--locale", "C", "--no-sync", "--no-instructions",
            ])
        let end = try await process.exit(within: limit)
        guard end == .exited(0) else { throw NotReady(reason: "initdb ended: \(end)", log: logText()) }
    }

    private func launch(within limit: Duration) async throws {
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(directory.path)",
            "fsync=off", "full_page_writes=off", "max_connections=400", "shared_buffers=128MB",
            "shared_memory_type=mmap", "autovacuum=off", "log_min_messages=warning",
        ]
        let started = try await run("postgres", ["-D", dataPath] + settings.flatMap { ["-c", $0] })
        child.withLock { $0 = started }
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let status = started.exitStatus { throw NotReady(reason: "it ended: \(status)", log: logText()) }
            if (try? await psql("SELECT 1")) == "1" { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        started.signal(SIGQUIT)
        throw NotReady(reason: "no answer within \(limit)", log: logText())
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess {
        let command = owner.command(binaries + "/" + program, arguments)
        return try await ChildProcess.start(
            command[0], Array(command.dropFirst()), environment: ["LC_ALL": "C", "PATH": "/usr/bin:/bin"],
            in: directory.path, output: logPath)
    }
}
