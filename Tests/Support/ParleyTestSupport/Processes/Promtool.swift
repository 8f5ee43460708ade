import Foundation

/// Prometheus' own tool (Debian package prometheus).
package enum Promtool {
    /// - Parameter input: what it reads from standard input.
    /// - Returns: whether it succeeded, and its output.
    package static func run(_ arguments: [String], input: String = "") async throws -> (isContent: Bool, output: String)
    {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/input"
        try input.write(toFile: file, atomically: true, encoding: .utf8)
        let output = directory.path + "/output"
        let child = try await ChildProcess.start(
            "sh", ["-c", "exec promtool \"$@\" <\"$0\"", file] + arguments,
            environment: ["PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"], in: directory.path, output: output)
        let end = try await child.exit(within: .seconds(60))
        return (end == .exited(0), (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
    }
}
