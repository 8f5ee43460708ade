import Foundation
import ParleyTestSupport
import Synchronization

/// A Redis server for tests, on a free port of 127.0.0.1 and on a unix socket, in a temporary directory.
///
/// It is a child of the test runner and ends with it, or with this object. The child is protected by a mutex; `stop`,
/// `kill` and `restart` belong to one task at a time.
package final class RedisServer: Sendable {
    /// The options of a server.
    package struct Options: Sendable {
        /// Writes all data to an append-only file before it replies, so that they survive `kill` and `stop`.
        package var keepsData = false
        /// The password that every client must send.
        package var password: String?
        /// Listens for TLS as well, on a port of its own, with a generated certificate.
        package var hasTLS = false
        /// The names in the certificate.
        package var certificateNames = TestCertificate.localNames
        /// The master to replicate.
        package var master: RedisServer?
        /// Added to the command line.
        package var arguments: [String] = []
        /// Added to the environment.
        package var environment: [String: String] = [:]

        package init(
            keepsData: Bool = false, password: String? = nil, hasTLS: Bool = false, master: RedisServer? = nil,
            arguments: [String] = [], environment: [String: String] = [:]
        ) {
            self.master = master
            self.keepsData = keepsData
            self.password = password
            self.hasTLS = hasTLS
            self.arguments = arguments
            self.environment = environment
        }
    }

    /// The server was not ready in time, or a command of `redis-cli` failed.
    package struct Failure: Error, CustomStringConvertible {
        package let reason: String
        package let log: String
        package var description: String { "Redis: \(reason)\n\(log.suffix(4000))" }
    }

    package let port: Int
    package let socketPath: String
    /// `nil` without TLS.
    package let tlsPort: Int?
    package let certificate: TestCertificate?
    private let options: Options
    private let directory: TemporaryDirectory
    private let child = Mutex<ChildProcess?>(nil)

    private var logPath: String { directory.path + "/log" }
    private static let environment = ["PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin", "LC_ALL": "C.UTF-8"]
    /// The line that Redis logs when it accepts connections.
    private static let readyLine = "Ready to accept connections"

    private init(_ options: Options) async throws {
        self.options = options
        directory = try TemporaryDirectory()
        port = FreePort.next()
        // The path of a unix socket has at most 103 characters on some systems.
        socketPath = directory.path + "/s"
        tlsPort = options.hasTLS ? FreePort.next() : nil
        certificate =
            options.hasTLS
            ? try await TestCertificate.make(
                in: directory.path, for: options.certificateNames) : nil
    }

    deinit {
        child.withLock { $0?.signal(SIGKILL) }
    }

    /// Starts a server; takes some ten milliseconds.
    /// - Throws: ``Failure``, ``TimedOut``.
    package static func start(
        _ options: Options = Options(), within limit: Duration = .patience
    ) async throws -> RedisServer {
        for _ in 0..<3 {
            let server = try await RedisServer(options)
            do {
                try await server.launch(within: limit)
                return server
            } catch let failure as Failure where failure.log.contains("Address already in use") {
                // Another process has taken the port; the next one differs.
                continue
            }
        }
        throw Failure(reason: "no port could be had", log: "")
    }

    // MARK: Addresses

    /// `redis://…` for `--redis`, with the password if there is one.
    package var url: String { "redis://\(login)127.0.0.1:\(port)" }
    /// `unix://…`
    package var socketURL: String { "unix://\(login)\(socketPath)" }
    /// The process id; `nil` when it has ended.
    package var pid: Int32? { child.withLock { $0 }?.pid }

    private var login: String { options.password.map { ":\($0)@" } ?? "" }

    package func logText() -> String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    // MARK: Faults

    /// Sends SIGKILL and waits for the end.
    package func kill() async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.signal(SIGKILL)
        _ = try await child.exit(within: .patience)
    }

    /// Requests an orderly shutdown and waits for it.
    package func stop(within limit: Duration = .patience) async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.signal(SIGTERM)
        _ = try await child.exit(within: limit)
    }

    /// Starts it again on the same ports and data, killing it before if it is running.
    package func restart(within limit: Duration = .patience) async throws {
        try await kill()
        try await launch(within: limit)
    }

    /// Copies the append-only file aside: what Redis has written so far.
    package func saveData() throws {
        try? FileManager.default.removeItem(atPath: savedPath)
        try FileManager.default.copyItem(atPath: dataPath, toPath: savedPath)
    }

    /// Kills it, as a failure of its machine does: it has lost what it has written since `saveData`. `restart` starts it
    /// again.
    package func loseData() async throws {
        try await kill()
        try FileManager.default.removeItem(atPath: dataPath)
        try FileManager.default.copyItem(atPath: savedPath, toPath: dataPath)
    }

    private var dataPath: String { directory.path + "/appendonlydir" }
    private var savedPath: String { directory.path + "/saved" }

    /// Sends SIGSTOP: connections stay open without a response.
    package func pause() { child.withLock { $0 }?.signal(SIGSTOP) }

    /// Ends `pause`.
    package func resume() { child.withLock { $0 }?.signal(SIGCONT) }

    // MARK: Commands

    /// Runs one command with `redis-cli`.
    /// - Returns: its raw output, without quotes and numbering.
    /// - Throws: ``Failure``, also for an error reply of Redis.
    @discardableResult
    package func cli(_ arguments: String...) async throws -> String {
        try await Self.cli(port: port, password: options.password, arguments, in: directory.path)
    }

    static func cli(
        port: Int, password: String? = nil, _ arguments: [String], in directory: String
    ) async throws -> String {
        let output = directory + "/cli-\(UUID().uuidString)"
        var environment = environment
        if let password { environment["REDISCLI_AUTH"] = password }
        let process = try await ChildProcess.start(
            "redis-cli", ["-e", "-h", "127.0.0.1", "-p", "\(port)"] + arguments, environment: environment,
            in: directory, output: output)
        let end = try await process.exit(within: .seconds(30))
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        try? FileManager.default.removeItem(atPath: output)
        guard end == .exited(0) else { throw Failure(reason: "redis-cli ended: \(end)", log: text) }
        return text.trimmingCharacters(in: .newlines)
    }

    // MARK: Starting

    private var arguments: [String] {
        var arguments = [
            "--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", socketPath, "--dir", directory.path,
            "--save", "", "--daemonize", "no", "--appendonly", options.keepsData ? "yes" : "no",
            // With the default, `everysec`, Redis replies up to 2 s before it writes while the disk is busy with the
            // last second; a kill then loses acknowledged data. Without a sync it always writes first.
            "--appendfsync", "no",
        ]
        if let password = options.password { arguments += ["--requirepass", password, "--masterauth", password] }
        if let master = options.master { arguments += ["--replicaof", "127.0.0.1", "\(master.port)"] }
        if let tlsPort, let certificate {
            arguments += [
                "--tls-port", "\(tlsPort)", "--tls-cert-file", certificate.path, "--tls-key-file", certificate.keyPath,
                "--tls-ca-cert-file", certificate.path, "--tls-auth-clients", "no",
            ]
        }
        return arguments + options.arguments
    }

    private func launch(within limit: Duration) async throws {
        let launches = timesReady()
        let started = try await ChildProcess.start(
            "redis-server", arguments, environment: Self.environment.merging(options.environment) { $1 },
            in: directory.path, output: logPath)
        child.withLock { $0 = started }
        let isReady = try await eventually(within: limit) {
            if timesReady() > launches { return true }
            if let end = started.exitStatus { throw Failure(reason: "it ended: \(end)", log: logText()) }
            return false
        }
        if isReady { return }
        started.signal(SIGKILL)
        throw Failure(reason: "not ready within \(limit)", log: logText())
    }

    private func timesReady() -> Int { logText().ranges(of: Self.readyLine).count }
}
