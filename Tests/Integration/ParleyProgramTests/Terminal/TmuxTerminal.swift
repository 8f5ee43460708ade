import Foundation
import ParleyTestServers
import ParleyTestSupport

/// A terminal of tmux, with a server of its own that ends with this object and with the test runner.
final class TmuxTerminal: Sendable {
    private let directory: TemporaryDirectory
    private let server: ChildProcess
    private var socket: String { directory.path + "/tmux" }

    private init(directory: TemporaryDirectory, server: ChildProcess) {
        self.directory = directory
        self.server = server
    }

    private static var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["TMUX", "NO_COLOR"] { environment[name] = nil }
        environment["LANG"] = "C.UTF-8"
        return environment
    }

    /// Starts a terminal in which nothing runs yet.
    static func start() async throws -> TmuxTerminal {
        let directory = try TemporaryDirectory()
        let settings = """
            set -s exit-empty off
            set -s escape-time 0
            set -g status off
            set -g remain-on-exit on
            set -g default-terminal tmux-256color

            """
        try settings.write(toFile: directory.path + "/conf", atomically: true, encoding: .utf8)
        // With -D the server stays a child of this process.
        let server = try await ChildProcess.start(
            "tmux", ["-u", "-D", "-S", directory.path + "/tmux", "-f", directory.path + "/conf"],
            environment: Self.environment, in: directory.path, output: directory.path + "/log")
        return TmuxTerminal(directory: directory, server: server)
    }

    /// Runs a command of the shell in the terminal, in place of the one before.
    func run(_ command: String, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) async throws {
        let file = directory.path + "/command"
        let variables = ParleyBinary.environment(environment).filter { environment[$0.key] != nil }
        let exports = variables.map { "export \($0.key)='\($0.value)'\n" }.joined()
        try (exports + command + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let isStarted = try await eventually {
            if (try? await tmux("has-session")) != nil { return true }
            let size = ["-x", "\(columns)", "-y", "\(rows)"]
            return (try? await tmux(["new-session", "-d"] + size + ["bash", "--norc"])) != nil
        }
        guard isStarted else { throw TimedOut("tmux", after: .seconds(30)) }
        try await resize(columns: columns, rows: rows)
        try await tmux("respawn-pane", "-k", "bash", file)
    }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// Types text.
    func type(_ text: String) async throws { try await tmux("send-keys", "-l", "--", text) }

    /// Presses keys, by tmux's names: `Enter`, `Up`, `C-f`.
    func press(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }

    /// What is visible, without spaces at the ends of lines.
    func screen() async throws -> String { try await tmux("capture-pane", "-p") }

    /// What is visible, with the sequences of its styles.
    func styledScreen() async throws -> String { try await tmux("capture-pane", "-p", "-e") }

    /// A value of tmux, such as `alternate_on`.
    func value(_ name: String) async throws -> String {
        try await tmux("display-message", "-p", "#{\(name)}").trimmingCharacters(in: .newlines)
    }

    /// Waits until the screen is as wanted.
    /// - Throws: ``TimedOut`` with the screen.
    @discardableResult
    func wait(
        _ what: String, within limit: Duration = .patience, until isWanted: (String) -> Bool
    ) async throws -> String {
        var last = ""
        let isShown = try await eventually(within: limit, every: .milliseconds(50)) {
            last = try await screen()
            return isWanted(last)
        }
        guard isShown else { throw TimedOut("\(what) on this screen:\n\(last)\n", after: limit) }
        return last
    }

    /// Waits until the screen contains a text.
    @discardableResult
    func wait(for text: String, within limit: Duration = .patience) async throws -> String {
        try await wait("\"\(text)\"", within: limit) { $0.contains(text) }
    }

    /// tmux refused a command.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    @discardableResult
    private func tmux(_ arguments: String...) async throws -> String { try await tmux(arguments) }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> String {
        let output = "\(directory.path)/output-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let child = try await ChildProcess.start(
            "tmux", ["-u", "-S", socket] + arguments, environment: Self.environment, in: directory.path, output: output)
        let status = try await child.exit(within: .seconds(20))
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard status == .exited(0) else { throw Refused(description: "tmux \(arguments): \(text)") }
        return text
    }
}
