import ArgumentParser
import Foundation
import ParleyAccounts
import ParleyModel

/// The settings of commands that need only the database.
struct DatabaseFlags: ParsableArguments {
    @Option(help: "Database: sqlite:PATH or postgres://… (default: PARLEY_DATABASE, or sqlite:parley.db).")
    var database: String?

    @Option(help: "JSON file with settings. Flags and environment variables take precedence.")
    var config: String?

    func address() async throws(SettingErrors) -> DatabaseAddress {
        var reader = try await reader()
        let address = Settings.database(&reader)
        try reader.finish()
        return address
    }

    /// The cost of a new password hash.
    func passwordIterations() async throws(SettingErrors) -> Int {
        var reader = try await reader()
        let iterations = Settings.passwordIterations(&reader)
        try reader.finish()
        return iterations
    }

    /// The texts that are always ids of users.
    func idForm() async throws(SettingErrors) -> UserIDForm {
        var reader = try await reader()
        let form = Settings.idForm(&reader)
        try reader.finish()
        return form
    }

    private func reader() async throws(SettingErrors) -> SettingsReader {
        let environment = ProcessInfo.processInfo.environment
        let flags = ["database": database].compactMapValues { $0 }
        return try await SettingsSource(
            flags: flags, environment: environment, file: config ?? environment["PARLEY_CONFIG"]
        ).reader()
    }
}
