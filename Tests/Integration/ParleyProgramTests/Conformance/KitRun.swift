import Foundation
import ParleyConformance
import ParleyTestServers
import ParleyTestSupport

/// `parley admin conformance --json` as a program, whose lines are given to whoever drives the client.
struct KitRun {
    /// Who begins a scenario, and does what its lines ask for.
    protocol Driver: Sendable {
        /// The client is to log in at `url` as `user`.
        func begin(url: String, user: String, password: String) async throws
        /// A line of standard input.
        func obey(_ line: String) async throws
        func end() async
    }

    /// - Returns: The `result` line of the scenario.
    /// - Throws: ``TimedOut``, and the errors of the driver.
    static func play(
        _ scenario: String, allowing rules: [Rule] = [], with driver: some Driver,
        within limit: Duration = .seconds(120)
    ) async throws -> JSONValue {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        let arguments = ["admin", "conformance", "--json", "--scenario", scenario]
        let kit = try await ChildProcess.start(
            ParleyBinary.path(), arguments + rules.flatMap { ["--allow", $0.rawValue] },
            environment: ParleyBinary.environment([:]), in: directory.path, output: output)
        defer { kit.signal(SIGKILL) }
        var (done, result) = (0, JSONValue?.none)
        _ = try await eventually(within: limit) {
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().dropFirst(done)
            for line in lines {
                done += 1
                let value = try JSONValue(parsing: String(line))
                switch value["type"]?.string {
                case "start":
                    try await driver.begin(
                        url: value["url"]?.string ?? "", user: value["user"]?.string ?? "",
                        password: value["password"]?.string ?? "")
                case "ask": try await driver.obey(value["line"]?.string ?? "")
                case "result": result = value
                default: break
                }
            }
            return result != nil
        }
        await driver.end()
        guard let result else { throw TimedOut("result of \(scenario)", after: limit) }
        return result
    }

    /// The outcome of a result, with what was seen.
    static func summary(_ result: JSONValue) -> String {
        let frames = (result["frames"]?.array ?? []).compactMap(\.string)
        let said = [result["outcome"], result["rule"], result["seen"], result["reason"]].compactMap { $0?.string }
        return (said + frames).joined(separator: "\n")
    }
}
