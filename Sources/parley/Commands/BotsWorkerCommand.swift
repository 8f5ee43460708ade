import ArgumentParser
import ParleyBots

/// `parley bots worker`: bots of another `parley bots`, which starts it and tells it what to do.
struct BotsWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Drive the bots of a parley bots --workers.", shouldDisplay: false)

    func run() async throws {
        try await WorkerLoop.run()
    }
}
