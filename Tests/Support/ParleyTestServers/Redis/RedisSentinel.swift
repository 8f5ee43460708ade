import Foundation
import ParleyTestSupport
import Synchronization

/// A Redis sentinel for tests, which decides on a failover alone or with others. Ends with the test runner, or with
/// this object.
package final class RedisSentinel: Sendable {
    package let port: Int
    private let directory: TemporaryDirectory
    private let child = Mutex<ChildProcess?>(nil)

    private var logPath: String { directory.path + "/log" }

    private init(_ configuration: [String]) throws {
        directory = try TemporaryDirectory()
        port = FreePort.next()
        let own = ["port \(port)", "bind 127.0.0.1", "dir \(directory.path)"]
        try (own + configuration).joined(separator: "\n").write(
            toFile: directory.path + "/sentinel.conf", atomically: false, encoding: .utf8)
    }

    deinit {
        child.withLock { $0?.signal(SIGKILL) }
    }

    /// Starts a sentinel and waits until it knows a replica of the master.
    /// - Parameters:
    ///   - name: the group's name.
    ///   - password: the master's.
    ///   - quorum: how many sentinels must agree that the master is down.
    ///   - downAfter: how long the master must be silent to count as down.
    package static func start(
        _ name: String, master: RedisServer, password: String? = nil, quorum: Int = 1,
        downAfter: Duration = .milliseconds(500), within limit: Duration = .patience
    ) async throws -> RedisSentinel {
        let milliseconds = Int(downAfter / .milliseconds(1))
        let sentinel = try RedisSentinel(
            [
                "sentinel monitor \(name) 127.0.0.1 \(master.port) \(quorum)",
                "sentinel down-after-milliseconds \(name) \(milliseconds)",
                "sentinel failover-timeout \(name) 5000",
            ] + (password.map { ["sentinel auth-pass \(name) \($0)"] } ?? []))
        try await sentinel.launch(within: limit)
        return sentinel
    }

    package func logText() -> String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    /// Sends SIGSTOP: it decides nothing and replies to nobody.
    package func pause() { child.withLock { $0 }?.signal(SIGSTOP) }

    /// Ends `pause`.
    package func resume() { child.withLock { $0 }?.signal(SIGCONT) }

    /// Runs one command with `redis-cli`.
    @discardableResult
    package func cli(_ arguments: String...) async throws -> String {
        try await RedisServer.cli(port: port, arguments, in: directory.path)
    }

    private func launch(within limit: Duration) async throws {
        let started = try await ChildProcess.start(
            "redis-server", [directory.path + "/sentinel.conf", "--sentinel"],
            environment: ["PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"], in: directory.path,
            output: logPath)
        child.withLock { $0 = started }
        let isReady = try await eventually(within: limit) {
            if let end = started.exitStatus {
                throw RedisServer.Failure(reason: "the sentinel ended: \(end)", log: logText())
            }
            return logText().contains("+slave slave")
        }
        guard isReady else {
            throw RedisServer.Failure(reason: "the sentinel found no replica within \(limit)", log: logText())
        }
    }
}
