import ArgumentParser
import ParleyBots

/// `parley bots worker`: runs bots for another `parley bots`, which starts and controls it.
struct BotsWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Run bots for parley bots --workers.", shouldDisplay: false)

    func run() async throws {
        try await WorkerLoop.run()
    }
}
