import Foundation
package import ParleyTestSupport

/// The built `parley` executable.
package enum ParleyBinary {
    /// The executable does not exist.
    package struct Missing: Error, CustomStringConvertible {
        package let path: String
        package var description: String { "no executable at \(path); build it, or set PARLEY_BINARY" }
    }

    /// The result of a command.
    package struct Outcome: Sendable {
        package let status: ProcessEnd
        /// Standard output and error together.
        package let output: String
    }

    /// The executable beside the test bundle, of the same build configuration; or the one named by `PARLEY_BINARY`.
    package static func path() throws -> String {
        let path = ProcessInfo.processInfo.environment["PARLEY_BINARY"] ?? besideBundle()
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing(path: path) }
        return path
    }

    private static func besideBundle() -> String {
        #if os(Linux)
            let runner = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            return runner.deletingLastPathComponent().appending(path: "parley").path(percentEncoded: false)
        #else
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
            return bundle.bundleURL.deletingLastPathComponent().appending(path: "parley").path(percentEncoded: false)
        #endif
    }

    /// This process's environment without `PARLEY_…` variables, plus `additions`.
    ///
    /// Password hashing is made cheap and sign-ups are not limited, because tests create many accounts; tests of these
    /// features override that.
    package static func environment(_ additions: [String: String]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PARLEY_") }
        environment["PARLEY_AUTH_PBKDF2_ITERATIONS"] = "1000"
        environment["PARLEY_LIMITS_SIGNUPS_PER_ADDRESS_PER_MINUTE"] = "0"
        return environment.merging(additions) { _, new in new }
    }

    /// Runs `parley` with these arguments until it ends.
    /// - Throws: ``TimedOut`` if it does not end in time; it is killed then.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], within limit: Duration = .patience
    ) async throws -> Outcome {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        let child = try await ChildProcess.start(
            path(), arguments, environment: self.environment(environment), in: directory.path, output: output)
        let status = try await child.exit(within: limit)
        return Outcome(status: status, output: (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
    }
}
