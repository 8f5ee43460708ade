import ArgumentParser
import Logging
import Metrics
import ParleyModel

/// `parley migrate`: creates and upgrades the tables.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Upgrade the database schema to this version, and exit.",
        discussion: """
            The command can run repeatedly, concurrently, and while nodes of the previous version run. `persister` and \
            `serve` also migrate when they start.
            """
    )

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        do {
            let address = try await flags.address()
            let database = try address.open(
                clock: .system, logger: Logger(label: "parley"), metrics: NOOPMetricsHandler.instance)
            try await database.migrate()
            try await database.close()
            print("\(address) is up to date")
        } catch {
            throw StartFailure(error)
        }
    }
}
