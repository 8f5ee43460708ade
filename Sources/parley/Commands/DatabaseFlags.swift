import ArgumentParser
import Foundation
import ParleyAccounts

/// The settings of commands that need only the database.
struct DatabaseFlags: ParsableArguments {
    @Option(help: "sqlite:PATH or postgres://… (default: PARLEY_DATABASE, else sqlite:parley.db).")
    var database: String?

    @Option(help: "A JSON file with settings; flags and environment go before it.")
    var config: String?

    func address() async throws(SettingError) -> DatabaseAddress {
        var reader = try await reader()
        return try Settings.database(&reader)
    }

    /// The cost of a new password hash.
    func passwordIterations() async throws(SettingError) -> Int {
        var reader = try await reader()
        return try Settings.passwordIterations(&reader)
    }

    private func reader() async throws(SettingError) -> SettingsReader {
        let environment = ProcessInfo.processInfo.environment
        let flags = ["database": database].compactMapValues { $0 }
        return try await SettingsSource(
            flags: flags, environment: environment, file: config ?? environment["PARLEY_CONFIG"]
        ).reader()
    }
}
