import ArgumentParser
import Foundation
import ParleyAccounts

/// The settings of commands that need only the database.
struct DatabaseFlags: ParsableArguments {
    @Option(help: "sqlite:PATH or postgres://… (default: PARLEY_DATABASE, else sqlite:parley.db).")
    var database: String?

    @Option(help: "A JSON file with settings; flags and environment go before it.")
    var config: String?

    func address(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(SettingFlaw) -> DatabaseAddress {
        let flags = ["database": database].compactMapValues { $0 }
        let source = try await SettingsSource(
            flags: flags, environment: environment, file: config ?? environment["PARLEY_CONFIG"])
        var reader = source.reader()
        return try Settings.database(&reader)
    }
}
