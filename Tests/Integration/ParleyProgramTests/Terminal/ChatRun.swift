import Foundation
import ParleyTestServers
import ParleyTestSupport

/// Runs of `parley chat` by one user, with a folder that outlives them.
struct ChatRun {
    let user: String
    let server: ParleyProcess
    let directory: TemporaryDirectory

    init(_ user: String, _ server: ParleyProcess) throws {
        self.user = user
        self.server = server
        directory = try TemporaryDirectory()
    }

    /// Where the session and the messages are kept.
    var folder: String { "\(directory.path)/parley/http:127.0.0.1:\(server.port)/\(user)" }

    var sessionPath: String { folder + "/session" }

    /// The token of the session that is kept.
    func token() throws -> String {
        try String(contentsOfFile: sessionPath, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// Keeps something else in its place.
    func keep(session: [UInt8]) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(session).write(to: URL(filePath: sessionPath))
    }

    var environment: [String: String] { ["XDG_STATE_HOME": directory.path] }

    /// A command line for the shell.
    func command(_ arguments: String) throws -> String {
        "exec \(try ParleyBinary.path()) chat \(server.baseURL) --user \(user) \(arguments)"
    }

    struct Outcome {
        let status: ProcessEnd
        /// The lines of standard output and of standard error.
        let output: [String]
        let errors: [String]

        /// The objects of JSON lines.
        func objects(_ type: String) throws -> [JSONValue] {
            try output.map { try JSONValue(parsing: Array($0.utf8)) }.filter { $0["type"]?.string == type }
        }
    }

    /// Runs `parley chat` with this input until it ends.
    func lines(
        _ arguments: String, input: [String] = [], password: String? = "correct horse", token: String? = nil,
        within limit: Duration = .patience
    ) async throws -> Outcome {
        let run = try await start(arguments, input: input.map { $0 + "\n" }.joined(), password: password, token: token)
        let status = try await run.child.exit(within: limit)
        return Outcome(status: status, output: lines(run.output), errors: lines(run.errors))
    }

    /// Starts `parley chat` with this input, and leaves it running.
    func start(
        _ arguments: String, input: String = "", password: String? = "correct horse", token: String? = nil
    ) async throws -> (child: ChildProcess, output: String, errors: String) {
        let name = "\(directory.path)/\(UUID().uuidString)"
        try input.write(toFile: name + ".in", atomically: true, encoding: .utf8)
        var environment = environment
        environment["PARLEY_CHAT_PASSWORD"] = password
        environment["PARLEY_CHAT_TOKEN"] = token
        let child = try await ChildProcess.start(
            "bash", ["-c", try command(arguments) + " <\(name).in >\(name).out"],
            environment: ParleyBinary.environment(environment), in: directory.path, output: name + ".err")
        return (child, name + ".out", name + ".err")
    }

    func lines(_ path: String) -> [String] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}
