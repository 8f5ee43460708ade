import ArgumentParser
import Foundation
import ParleyBots
import ParleyModel

/// `parley bots load`, which `parley bots` alone means: virtual users, and whether what they saw is right.
struct BotsLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a cluster with virtual users, and prove that nothing was lost.",
        discussion: """
            Sends are due at fixed instants whatever the server does, and every latency counts from there. At the end \
            all that was acknowledged and seen is compared with the history over REST; exit code 1 if anything is \
            wrong, 2 if the run could not be made. The API key is read from PARLEY_API_KEY. See docs/bots.md.
            """
    )

    @OptionGroup var plan: PlanFlags

    @Option(help: "A gateway or balancer, ws://HOST:PORT; repeat it for several, which bots take in turn.")
    var url: [String] = ["ws://127.0.0.1:8080"]

    @Option(help: "Where REST is, http://HOST:PORT (default: the first --url).")
    var rest: String?

    @Option(help: "A server whose /metrics are compared; repeat it (default: every --url and --rest).")
    var metrics: [String] = []

    @Flag(help: "Do not check certificates.")
    var insecure = false

    @Option(help: "Write the figures as JSON to this file.")
    var json: String?

    @Option(help: "Write a page with the figures and plots to this file.")
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
            throw PlanError("PARLEY_API_KEY is not set; the server knows keys by PARLEY_API_KEYS=name:pk_…")
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
