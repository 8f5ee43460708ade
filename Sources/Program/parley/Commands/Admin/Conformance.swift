import ArgumentParser
import Foundation
import ParleyConformance
import ParleyJSON

/// `parley admin conformance`
struct Conformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Test a client against a hostile server, and report the rules that it breaks.",
        discussion: """
            Listens on 127.0.0.1 and accepts any name and password. Without --client it prints instructions for the user \
            of the client, and waits. With --client it starts the command for each scenario, with PARLEY_CHAT_SERVER, \
            PARLEY_CHAT_USER, PARLEY_CHAT_PASSWORD, PARLEY_CHAT_TOKEN and PARLEY_CHAT_ROOM in its environment. The \
            command receives each text to send as a line on its standard input, and can report the messages that it \
            shows as lines of JSON. The exit code is 1 if a rule is broken. docs/clients.md describes the rules and the \
            lines.
            """
    )

    @Flag(help: "List the scenarios and exit.")
    var list = false

    @Option(help: "Run only this scenario; repeatable.")
    var scenario: [String] = []

    @Option(help: "Do not check this rule; repeatable.")
    var allow: [String] = []

    @Option(help: "The command that starts the client.")
    var client: String?

    @Option(help: "Port; 0 for a free one.")
    var port = 0

    @Option(help: "Seed of the names of users and rooms (default: random).")
    var seed: UInt64?

    @Flag(help: "Print the report as lines of JSON.")
    var json = false

    func run() async throws {
        if list {
            for scenario in Scenario.all {
                Self.write(scenario.name.padding(toLength: 20, withPad: " ", startingAt: 0) + scenario.summary)
            }
            return
        }
        let run = ConformanceRun(
            try scenarios(), seed: seed ?? UInt64.random(in: 0..<1 << 40), allowed: try rules(), client: client)
        let kit: ConformanceKit
        do { kit = try await ConformanceKit.start(port: port) } catch {
            throw ValidationError("port \(port) cannot be used: \(error)")
        }
        let (isJSON, isDriven) = (json, client != nil)
        let isSound = try await run.run(on: kit) { report in
            if isJSON {
                Self.write(report.json.canonical)
            } else if let text = report.text(isDriven: isDriven) {
                Self.write(text)
            }
        }
        try await kit.stop()
        if !isSound { throw ExitCode(1) }
    }

    private func scenarios() throws -> [Scenario] {
        guard !scenario.isEmpty else { return Scenario.all }
        return try scenario.map { name in
            guard let scenario = Scenario.all.first(where: { $0.name == name }) else {
                throw ValidationError("there is no scenario \(name); --list shows all")
            }
            return scenario
        }
    }

    private func rules() throws -> Set<Rule> {
        Set(
            try allow.map { name in
                guard let rule = Rule(rawValue: name) else {
                    let names = Rule.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("there is no rule \(name); the rules are \(names)")
                }
                return rule
            })
    }

    /// At once, also into a pipe.
    @Sendable private static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
