import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Generators that know what the server may answer, in short forms. `make explore` runs their long ones.
    @Suite(.serialized) struct ExplorationTests {
        /// What still finds something runs on request only: `PARLEY_EXPLORE=1`.
        private static let isOpen = ProcessInfo.processInfo.environment["PARLEY_EXPLORE"] != nil
        private static let key = "pk_0123456789abcdef0123456789abcdef"
        /// The budgets that would hide what a request is answered.
        private static let unlimited = [
            "SENDS_PER_SECOND", "READS_PER_SECOND", "HISTORY_PER_SECOND", "LISTS_PER_SECOND", "LISTS_AT_ONCE",
            "SEARCHES_PER_SECOND", "SEARCHES_AT_ONCE", "FILES_PER_SECOND", "LOGIN_FAILURES_PER_ACCOUNT_PER_MINUTE",
            "LOGIN_FAILURES_PER_ACCOUNT_TOTAL_PER_MINUTE", "LOGIN_FAILURES_PER_ADDRESS_PER_MINUTE",
            "SIGNUPS_PER_ADDRESS_PER_MINUTE",
        ]

        /// A number from the environment, for the long forms.
        private static func setting(_ name: String, _ short: Int) -> Int {
            ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? short
        }

        /// Runs a script to its end.
        /// - Returns: how it ended, and its output.
        private func run(
            _ program: String, _ arguments: [String], environment: [String: String] = [:], within limit: Duration
        ) async throws -> (end: ProcessEnd, output: String) {
            let directory = try TemporaryDirectory()
            let output = directory.path + "/output"
            let script = try await ChildProcess.start(
                program, arguments,
                environment: ProcessInfo.processInfo.environment.merging(environment) { _, mine in mine },
                in: directory.path, output: output)
            let end = try await script.exit(within: limit)
            return (end, (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
        }

        @Test("REST does what /openapi.json says, for strangers, users and back ends")
        func schema() async throws {
            var environment = ["PARLEY_API_KEYS": "backend:\(Self.key)", "PARLEY_AUTH_PBKDF2_ITERATIONS": "1000"]
            for name in Self.unlimited { environment["PARLEY_LIMITS_\(name)"] = "0" }
            let parley = try await ParleyProcess.start(environment: environment)
            let made = try await run(Repository.path + "/Tests/Schemathesis/make-venv", [], within: .seconds(300))
            let python = try #require(made.output.split(separator: "\n").last, "PyPI is needed the first time")
            try #require(made.end == .exited(0), "\(made.output)")
            let seconds = Self.setting("PARLEY_EXPLORE_SECONDS", 10)
            let found = try await run(
                String(python),
                [
                    Repository.path + "/Tests/Schemathesis/check", parley.baseURL, "\(seconds)",
                    "\(Self.setting("PARLEY_EXPLORE_SEED", 1))",
                ],
                environment: ["PARLEY_TEST_KEY": Self.key], within: .seconds(6 * seconds + 120))
            print(found.output.prefix(2000))
            #expect(found.end == .exited(0), "\(found.output)")
            #expect(try await parley.terminate() == .exited(0))
        }

        @Test("streams of requests are answered as RFC 9112 allows")
        func streams() async throws {
            let streams = Self.setting("PARLEY_EXPLORE_STREAMS", 10_000)
            // A machine that does other work may take longer for as many; the count is printed.
            try await explore(streams, within: .seconds(Self.isOpen ? streams / 50 : 60))
        }

        @Test(
            "streams of requests are answered as RFC 9112 allows behind the proxy too",
            .disabled(if: !isOpen || Balancer.path == nil, "there is no model of what the proxy changes yet"))
        func proxied() async throws {
            let streams = Self.setting("PARLEY_EXPLORE_STREAMS", 10_000) / 10
            try await explore(streams, within: .seconds(streams / 20), isProxied: true)
        }

        /// - Parameter limit: no stream begins later.
        private func explore(_ streams: Int, within limit: Duration, isProxied: Bool = false) async throws {
            var environment: [String: String] = [:]
            for name in Self.unlimited { environment["PARLEY_LIMITS_\(name)"] = "0" }
            let parley = try await ParleyProcess.start(environment: environment)
            let balancer =
                isProxied ? try await Balancer.start(gateways: [parley.port], persisters: [parley.port]) : nil
            defer { balancer?.stop() }
            let found = try await run(
                Repository.path + "/Tests/HTTPStreams/explore",
                [
                    "\(balancer?.port ?? parley.port)", "\(streams)", "--seed",
                    "\(Self.setting("PARLEY_EXPLORE_SEED", 1))",
                    "--seconds", "\(limit.components.seconds)",
                ] + (isProxied ? ["--proxied"] : []),
                within: limit + .seconds(120))
            print(found.output.suffix(200))
            #expect(found.end == .exited(0), "\(found.output.prefix(4000))")
            #expect(try await parley.terminate() == .exited(0))
        }
    }
}
