import ArgumentParser
import Foundation
import ParleyBots

/// `parley bots load`, the default of `parley bots`: runs virtual users, and checks everything they received.
struct BotsLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a cluster with virtual users, and check that no message is lost.",
        discussion: """
            Each send has a fixed time, which does not depend on the server, and latencies are measured from it. At the \
            end, all acknowledged and received messages are compared with the history over REST. The exit code is 1 if a \
            check fails, and 2 if the load could not be run. The API key is read from PARLEY_API_KEY. See docs/bots.md.
            """
    )

    @OptionGroup var plan: PlanFlags

    @Option(help: "Gateway or load balancer, ws://HOST:PORT; repeatable. Bots are distributed over all of them.")
    var url: [String] = ["ws://127.0.0.1:8080"]

    @Option(help: "Server with REST, http://HOST:PORT (default: the first --url).")
    var rest: String?

    @Option(
        help:
            "Server whose /metrics are compared before and after the load; repeatable (default: every --url and --rest)."
    )
    var metrics: [String] = []

    @Flag(help: "Do not verify TLS certificates.")
    var insecure = false

    @Option(help: "File for the results as JSON.")
    var json: String?

    @Option(help: "File for the results as an HTML page with plots.")
    var html: String?

    func run() async throws {
        let report: Report
        do {
            report = try await load()
        } catch {
            FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
            throw ExitCode(2)
        }
        print(report.table)
        if let json { try Data(report.json.utf8).write(to: URL(filePath: json)) }
        if let html { try Data(report.html.utf8).write(to: URL(filePath: html)) }
        if !report.isSound { throw ExitCode(1) }
    }

    private func load() async throws -> Report {
        guard let key = ProcessInfo.processInfo.environment["PARLEY_API_KEY"], !key.isEmpty else {
            throw PlanError("PARLEY_API_KEY is not set; the server accepts the keys in PARLEY_API_KEYS=name:pk_…")
        }
        var settings = LoadGeneratorSettings(urls: url, rest: rest, apiKey: key)
        (settings.metrics, settings.isLenient) = (metrics, insecure)
        settings.program = Bundle.main.executablePath
        let plan = try plan.plan()
        let progress = ProgressLine()
        let generator = try await LoadGenerator.start(plan, settings, note: progress.note)
        do {
            try await Interruption.ends { try await generator.run { progress.show($0.progressLine) } }
        } catch {
            await generator.abandon()
            throw error
        }
        let report = try await generator.finish(note: progress.note)
        progress.clear()
        return report
    }
}
