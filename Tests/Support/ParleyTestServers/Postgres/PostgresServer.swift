import Foundation
import ParleyTestSupport
import Synchronization

/// A PostgreSQL server for tests: a new cluster in a temporary directory, on a free port of 127.0.0.1.
///
/// It never waits for the disk (`fsync` off, so it survives `kill` but no power failure). It is a child of the test
/// runner and ends with it; its directory is removed with this object. The child is protected by a mutex; `stop`,
/// `kill`, `restart`, `freeze` and `thaw` belong to one task at a time.
package final class PostgresServer: Sendable {
    /// The server could not be created or was not ready in time.
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
    /// `name=value`, as in `postgres -c`.
    private let settings: [String]
    private let hasTLS: Bool
    private let child = Mutex<ChildProcess?>(nil)

    private var dataPath: String { directory.path + "/data" }
    private var logPath: String { directory.path + "/log" }
    private var keyPath: String { directory.path + "/server.key" }

    /// The certificate that clients must trust if the server has TLS.
    package var certificatePath: String { directory.path + "/server.crt" }

    private init(settings: [String], hasTLS: Bool) throws {
        self.settings = settings
        self.hasTLS = hasTLS
        binaries = try PostgresBinaries.directory()
        owner = try PostgresOwner.current()
        port = FreePort.next()
        directory = try TemporaryDirectory()
        try owner.take(directory.path)
    }

    deinit { stopBlocking() }

    /// Creates a cluster and starts it; takes one to three seconds.
    /// - Parameters:
    ///   - settings: `name=value` each; they override the fixture's own.
    ///   - hasTLS: enables TLS with a self-signed certificate for 127.0.0.1; plain connections are accepted too.
    /// - Throws: ``NotReady``, ``PostgresBinaries/Missing``, ``TimedOut``.
    package static func start(
        settings: [String] = [], hasTLS: Bool = false, within limit: Duration = .patience
    ) async throws -> PostgresServer {
        let server = try PostgresServer(settings: settings, hasTLS: hasTLS)
        try await server.initialise(within: limit)
        try await server.launch(within: limit)
        return server
    }

    /// The URL for `--database` and `PostgresSettings`.
    package func url(database: String) -> String {
        "postgres://\(Self.user):\(Self.password)@127.0.0.1:\(port)/\(database)"
    }

    /// The process id of the server; `nil` while it is stopped.
    package var pid: Int32? { child.withLock { $0 }?.pid }

    package func logText() -> String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    /// Runs one command with `psql`.
    /// - Returns: its rows, one per line, with columns separated by `|`.
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

    /// Creates a database with a unique name.
    /// - Parameter template: the database to copy, without open connections; `nil` for an empty one.
    package func makeDatabase(from template: String? = nil) async throws -> String {
        let name = "test_\(UUID().uuidString.replacing("-", with: "").lowercased())"
        try await psql("CREATE DATABASE \(name)" + (template.map { " TEMPLATE \($0)" } ?? ""))
        return name
    }

    /// Drops a database, terminating its connections.
    package func drop(_ database: String) async throws {
        try await psql("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
    }

    /// Requests a fast shutdown, which ends all sessions, and waits for it.
    package func stop(within limit: Duration = .patience) async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.signal(SIGINT)
        _ = try await child.exit(within: limit)
    }

    /// Kills all its processes with SIGKILL, without any cleanup.
    package func kill() async throws {
        guard let child = child.withLock({ $0 }), let pid = child.pid else { return }
        let processes = PostgresProcesses(postmaster: pid)
        // Stopped first, so that it starts no more processes while they are listed.
        child.signal(SIGSTOP)
        let sessions = processes.children()
        for session in sessions { Foundation.kill(session, SIGKILL) }
        child.signal(SIGKILL)
        _ = try await child.exit(within: .seconds(30))
        // While one of them holds the shared memory, no other server starts on this data.
        let areGone = try await eventually { !sessions.contains(where: ProcessTable.lives) }
        guard areGone else { throw TimedOut("end of PostgreSQL's processes", after: .seconds(30)) }
    }

    /// Starts it again on the same port and data; stops it before if it is running.
    package func restart(within limit: Duration = .patience) async throws {
        try await stop()
        try await launch(within: limit)
    }

    /// Stops all its processes by SIGSTOP, as a machine that hangs: connections stay open without a response.
    package func freeze() {
        if let pid { PostgresProcesses(postmaster: pid).freeze() }
    }

    /// Ends `freeze`.
    package func thaw() {
        if let pid { PostgresProcesses(postmaster: pid).thaw() }
    }

    /// Stops it without async, at the end of the test runner or of this object; waits at most 8 s.
    package func stopBlocking() {
        if let child = child.withLock({ $0 }), let pid = child.pid {
            child.signal(SIGQUIT)
            // If it is frozen. It ends its sessions itself, stopped ones after 5 s.
            child.signal(SIGCONT)
            for _ in 0..<800 where !ChildProcess.isGone(pid) { usleep(10_000) }
        }
        freeSharedMemory()
        directory.remove()
    }

    /// Removes the shared memory segment that a killed server leaves behind, by which it detects a second server.
    private func freeSharedMemory() {
        guard let text = try? String(contentsOfFile: dataPath + "/postmaster.pid", encoding: .utf8) else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 6, let id = lines[6].split(separator: " ").last.flatMap({ Int32($0) }) else { return }
        shmctl(id, IPC_RMID, nil)
    }

    // MARK: Starting

    private func initialise(within limit: Duration) async throws {
        let passwordPath = directory.path + "/password"
        try Self.password.write(toFile: passwordPath, atomically: false, encoding: .utf8)
        try await finish(
            binaries + "/initdb",
            [
                "-D", dataPath, "-U", Self.user, "--pwfile", passwordPath, "--auth", "scram-sha-256", "-E", "UTF8",
                "--locale", "C", "--no-sync", "--no-instructions",
            ], within: limit)
        guard hasTLS else { return }
        try await finish(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                "subjectAltName=IP:127.0.0.1", "-keyout", keyPath, "-out", certificatePath,
            ], within: limit)
    }

    private func finish(_ program: String, _ arguments: [String], within limit: Duration) async throws {
        let end = try await run(program, arguments).exit(within: limit)
        guard end == .exited(0) else { throw NotReady(reason: "\(program) ended: \(end)", log: logText()) }
    }

    private func launch(within limit: Duration) async throws {
        let all = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(directory.path)",
            "fsync=off", "full_page_writes=off", "max_connections=400", "shared_buffers=128MB",
            "shared_memory_type=mmap", "autovacuum=off", "log_min_messages=warning",
        ]
        let tls = hasTLS ? ["ssl=on", "ssl_cert_file=\(certificatePath)", "ssl_key_file=\(keyPath)"] : []
        let options = (all + tls + settings).flatMap { ["-c", $0] }
        let started = try await run(binaries + "/postgres", ["-D", dataPath] + options)
        child.withLock { $0 = started }
        let isReady = try await eventually(within: limit) {
            if let status = started.exitStatus { throw NotReady(reason: "it ended: \(status)", log: logText()) }
            return (try? await psql("SELECT 1")) == "1"
        }
        if isReady { return }
        started.signal(SIGQUIT)
        throw NotReady(reason: "no answer within \(limit)", log: logText())
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess {
        let command = owner.command(program, arguments)
        return try await ChildProcess.start(
            command[0], Array(command.dropFirst()), environment: ["LC_ALL": "C", "PATH": "/usr/bin:/bin"],
            in: directory.path, output: logPath)
    }
}
