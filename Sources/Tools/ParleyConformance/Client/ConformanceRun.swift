import NIOCore
package import ParleyJSON
import ParleyModel

/// Runs scenarios one after another, each with its own user and room, and reports their results.
package struct ConformanceRun: Sendable {
    /// A report during the run.
    package enum Report: Sendable {
        /// A scenario begins: start the client as this user.
        case begins(Scenario, url: String, user: String, token: String)
        /// A request to the client, for a program and for a person.
        case asks(line: String, text: String)
        case ends(ScenarioResult)

        /// Returns a line for people; `nil` for a report that a driven client receives itself.
        package func text(isDriven: Bool) -> String? {
            switch self {
            case .begins(let scenario, let url, let user, _):
                isDriven
                    ? nil
                    : """
                    \(scenario.name): \(scenario.summary)
                      Log in to \(url) as \(user) with any password, and open the room “\(Room.title)”.
                    """
            case .asks(_, let text): isDriven ? nil : "  \(text)"
            case .ends(let result): result.text
            }
        }

        /// The report as JSON.
        package var json: JSONTree {
            switch self {
            case .begins(let scenario, let url, let user, let token):
                .ordered([
                    ("type", .text("start")), ("scenario", .text(scenario.name)), ("url", .text(url)),
                    ("user", .text(user)), ("password", .text(ConformanceRun.password)), ("token", .text(token)),
                    ("room", .text(Room.title)),
                ])
            case .asks(let line, let text):
                .ordered([("type", .text("ask")), ("line", .text(line)), ("text", .text(text))])
            case .ends(let result): result.json
            }
        }
    }

    package static let password = "correct horse"

    package var scenarios: [Scenario]
    package var seed: UInt64
    package var allowed: Set<Rule>
    /// The command that starts the client; `nil` if the client is started by other means.
    package var client: String?

    package init(_ scenarios: [Scenario], seed: UInt64, allowed: Set<Rule> = [], client: String? = nil) {
        self.scenarios = scenarios
        self.seed = seed
        self.allowed = allowed
        self.client = client
    }

    /// - Returns: Whether the client has broken no rule.
    package func run(on kit: ConformanceKit, report: @escaping @Sendable (Report) -> Void) async throws -> Bool {
        var isSound = true
        for (index, scenario) in scenarios.enumerated() {
            let tag = String(seed, radix: 36) + "n\(index)"
            let machine = ScenarioMachine(
                scenario, tag: tag, milliseconds: WallClock.system.milliseconds, allowed: allowed)
            let result = try await run(machine, as: "conformance-\(tag)", on: kit, report)
            report(.ends(result))
            isSound = isSound && !result.isFailure
        }
        return isSound
    }

    private func run(
        _ machine: ScenarioMachine, as user: String, on kit: ConformanceKit,
        _ report: @escaping @Sendable (Report) -> Void
    ) async throws -> ScenarioResult {
        let (lines, asked) = AsyncStream.makeStream(of: String.self)
        let isDriven = client != nil
        let end = try await kit.begin(machine) { line, text in
            if isDriven { asked.yield(line) } else { report(.asks(line: line, text: text)) }
        }
        report(.begins(machine.scenario, url: kit.url, user: user, token: machine.session))
        guard let client else { return try await end.get() }
        let process = try await ClientProcess.start(
            client,
            environment: [
                "PARLEY_CHAT_SERVER": kit.url, "PARLEY_CHAT_USER": user, "PARLEY_CHAT_PASSWORD": Self.password,
                "PARLEY_CHAT_TOKEN": machine.session, "PARLEY_CHAT_ROOM": Room.title,
            ], on: kit.loop, note: { kit.note($0) })
        end.whenComplete { _ in asked.finish() }
        for await line in lines { process.write(line) }
        await process.end()
        return try await end.get()
    }
}
