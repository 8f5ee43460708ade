import ArgumentParser
import Logging
import Metrics
import ParleyAccounts
import ParleyModel

/// `parley migrate`: creates and upgrades the tables.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Upgrade the database schema to this version, and exit.",
        discussion: """
            Safe to run repeatedly, concurrently, and while nodes of the previous version run. `persister` and `serve` do the \
            same when they start.
            """
    )

    @Flag(help: "Also remove what only nodes of older versions need. They stop working: run it when none is left.")
    var complete = false

    @OptionGroup var flags: DatabaseFlags

    func run() async throws {
        do {
            let address = try await flags.address()
            let database = try address.open(
                clock: .system, logger: Logger(label: "parley"), metrics: NOOPMetricsHandler.instance)
            if complete {
                try await database.completeMigration()
            } else {
                try await database.migrate()
            }
            let isIncomplete = try await database.isMigrationIncomplete()
            try await database.close()
            print("\(address) is up to date")
            if isIncomplete {
                print(
                    "It still has what nodes of older versions need: when none is left, run `parley migrate --complete`"
                )
            }
        } catch {
            throw StartFailure(error)
        }
    }
}
