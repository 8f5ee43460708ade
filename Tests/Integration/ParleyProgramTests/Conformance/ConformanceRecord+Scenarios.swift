import ParleyConformance
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ConformanceRecord {
    /// The scenarios that fit the client, of one of several parts.
    func scenarios(part: Int = 0, of count: Int = 1) -> [String] {
        Scenario.all.map(\.name).filter { lacked[$0] == nil }.enumerated().filter { $0.offset % count == part }
            .map(\.element)
    }

    var allowedRules: [Rule] { allowed.compactMap { Rule(rawValue: $0) } }

    /// Runs the kit with a command that is the client, and expects `ok` of each scenario.
    ///
    /// The kit runs twice at a time, with half of the scenarios each: they mostly wait for their clocks.
    func run(_ command: String, environment: [String: String] = [:], part: Int, of count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for half in [part, count + part] {
                let names = scenarios(part: half, of: 2 * count)
                group.addTask { try await run(names, with: command, environment: environment) }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ names: [String], with command: String, environment: [String: String]) async throws {
        let arguments = names.flatMap { ["--scenario", $0] } + allowed.flatMap { ["--allow", $0] }
        let outcome = try await ParleyBinary.run(
            ["admin", "conformance", "--client", command] + arguments, environment: environment,
            within: .seconds(150))
        #expect(outcome.status == .exited(0), "\(outcome.output)")
        // A skipped scenario is no failure for the kit.
        for name in names { #expect(outcome.output.contains("ok       \(name)\n"), "\(outcome.output)") }
    }
}
