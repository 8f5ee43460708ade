import Foundation
package import ParleyTestSupport
import Synchronization

/// A `parley serve` process, or another role, with a port and a directory of its own; by default with an SQLite file
/// there.
///
/// It is killed when this object is released, and when the test runner ends. The child is protected by a mutex; calls
/// that change it (``terminate(within:)``, ``kill()``, ``restart(within:)``) belong to one task at a time.
package final class ParleyProcess: Sendable {
    /// `parley serve` ended before it was ready, or was not ready in time.
    package struct NotReady: Error, CustomStringConvertible {
        package let reason: String
        package let log: String
        package var description: String { "parley is not ready: \(reason)\n\(log.suffix(4000))" }
    }

    package let port: Int
    /// The port of the line listener, if it was requested.
    package let linePort: Int?
    /// The working directory, with the database and the log.
    package let directory: TemporaryDirectory
    private let role: String
    private let database: String
    private let arguments: [String]
    private let environment: [String: String]
    private let child = Mutex<ChildProcess?>(nil)
    /// The executable; `nil` for that of this build.
    private let binary: Mutex<String?>

    private init(
        role: String, port: Int, linePort: Int?, directory: TemporaryDirectory, database: String?, arguments: [String],
        environment: [String: String], binary: String?
    ) {
        self.binary = Mutex(binary)
        self.role = role
        self.database = database ?? "sqlite:\(directory.path)/parley.db"
        self.port = port
        self.linePort = linePort
        self.directory = directory
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts `parley serve` and waits until it is ready.
    /// - Parameters:
    ///   - role: The subcommand.
    ///   - database: The value of `--database`; `nil` for an SQLite file in the directory.
    ///   - arguments: Added to `--bind`, `--port`, `--database` and, if requested, `--line-port`.
    ///   - environment: Added to ``ParleyBinary/environment(_:)``.
    ///   - hasLineListener: Whether to open the line listener on another free port.
    ///   - binary: The executable; `nil` for that of this build.
    /// - Throws: ``NotReady``, ``ParleyBinary/Missing``.
    package static func start(
        _ role: String = "serve", database: String? = nil, arguments: [String] = [],
        environment: [String: String] = [:],
        hasLineListener: Bool = false, binary: String? = nil, within limit: Duration = .patience
    ) async throws -> ParleyProcess {
        let process = ParleyProcess(
            role: role, port: FreePort.next(), linePort: hasLineListener ? FreePort.next() : nil,
            directory: try TemporaryDirectory(), database: database,
            arguments: arguments, environment: ParleyBinary.environment(environment), binary: binary)
        try await process.launch(within: limit)
        return process
    }

    package var baseURL: String { "http://127.0.0.1:\(port)" }
    package var databasePath: String { directory.path + "/parley.db" }
    package var logPath: String { directory.path + "/log" }
    /// A client without credentials.
    package var http: HTTPClient { HTTPClient(port: port) }
    /// The process id; `nil` when it has ended.
    package var pid: Int32? { child.withLock { $0 }?.pid }

    /// Standard output and error so far, including those before restarts.
    package func logText() -> String {
        guard let data = FileManager.default.contents(atPath: logPath) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Sends SIGTERM (or another signal for a graceful stop) and waits for the end.
    /// - Throws: ``TimedOut``; the process is killed then.
    package func terminate(signal: Int32 = SIGTERM, within limit: Duration = .patience) async throws -> ProcessEnd {
        guard let child = child.withLock({ $0 }) else { throw TimedOut("process", after: .zero) }
        child.signal(signal)
        do {
            return try await child.exit(within: limit)
        } catch {
            child.signal(SIGKILL)
            throw error
        }
    }

    /// Sends a signal; no effect once the process has ended.
    package func signal(_ number: Int32) { child.withLock { $0 }?.signal(number) }

    /// Sends SIGKILL and waits for the end.
    package func kill() async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.signal(SIGKILL)
        _ = try await child.exit(within: .patience)
    }

    /// Starts it again on the same port and database, killing it before if it is running; waits until it is ready.
    package func restart(within limit: Duration = .patience) async throws {
        try await kill()
        try await launch(within: limit)
    }

    /// Sets the executable for the next start; `nil` for that of this build.
    package func setBinary(_ path: String?) { binary.withLock { $0 = path } }

    private func launch(within limit: Duration) async throws {
        var command = [role, "--bind", "127.0.0.1", "--port", "\(port)", "--database", database]
        if let linePort { command += ["--line-port", "\(linePort)"] }
        let started = try await ChildProcess.start(
            binary.withLock { $0 } ?? ParleyBinary.path(), command + arguments, environment: environment,
            in: directory.path, output: logPath)
        child.withLock { $0 = started }
        try await waitUntilReady(started, within: limit)
    }

    /// Polls `/readyz` until its status is 200.
    private func waitUntilReady(_ child: ChildProcess, within limit: Duration) async throws {
        let isReady = try await eventually(within: limit) {
            if let status = child.exitStatus { throw NotReady(reason: "it ended: \(status)", log: logText()) }
            return (try? await http.send("GET", "/readyz", within: .seconds(2)))?.status == 200
        }
        if isReady { return }
        child.signal(SIGKILL)
        throw NotReady(reason: "/readyz did not say 200 within \(limit)", log: logText())
    }
}
