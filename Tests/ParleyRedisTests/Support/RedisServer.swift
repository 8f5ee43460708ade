import Foundation
import ParleyRedis
import ParleyTestSupport
import Synchronization

/// A Redis of a test's own: on a free port of this machine, without persistence, gone with the test.
final class RedisServer: Sendable {
    private let directory: TemporaryDirectory
    private let arguments: [String]
    private let process: Mutex<ChildProcess?>
    let port: Int
    let socket: String

    private init(arguments: [String]) throws {
        directory = try TemporaryDirectory()
        port = FreePort.next()
        // The path of a unix socket has at most 107 characters.
        socket = "/tmp/parley-redis-\(port).sock"
        self.arguments =
            [
                "--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", socket, "--save", "", "--daemonize", "no",
            ] + (arguments.contains("--appendonly") ? [] : ["--appendonly", "no"]) + arguments
        process = Mutex(nil)
    }

    deinit {
        process.withLock { $0?.signal(SIGKILL) }
        try? FileManager.default.removeItem(atPath: socket)
    }

    /// - Parameter arguments: added to the command line.
    static func start(_ arguments: String...) async throws -> RedisServer {
        let server = try RedisServer(arguments: arguments)
        try await server.start()
        return server
    }

    var address: RedisAddress { RedisAddress(place: .tcp(host: "127.0.0.1", port: port)) }

    /// Starts it, again on the same port if it was stopped.
    func start() async throws {
        let child = try await ChildProcess.start(
            "redis-server", arguments, environment: ["PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"],
            in: directory.path, output: directory.path + "/log")
        process.withLock { $0 = child }
    }

    func signal(_ number: Int32) {
        process.withLock { $0?.signal(number) }
    }

    func kill() async throws {
        signal(SIGKILL)
        _ = try await process.withLock { $0 }?.exit(within: .seconds(10))
    }
}
