import ArgumentParser
import Logging
import Metrics
import ParleyAccounts
import ParleyModel

/// `parley migrate`: makes the tables.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's tables up to this version, and end.",
        discussion: "May run many times and at once; a persister and `serve` do the same when they start."
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
