import ArgumentParser
import Foundation
import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// The settings of commands that need only the database.
struct DatabaseFlags: ParsableArguments {
    @Option(help: "Database: sqlite:PATH or postgres://… (default: PARLEY_DATABASE, or sqlite:parley.db).")
    var database: String?

    @Option(help: "JSON file with settings. Flags and environment variables take precedence.")
    var config: String?

    func address() async throws(SettingErrors) -> DatabaseAddress {
        try await read(Settings.database)
    }

    /// The cost of a new password hash.
    func passwordIterations() async throws(SettingErrors) -> Int {
        try await read(Settings.passwordIterations)
    }

    /// The texts that are always ids of users.
    func idForm() async throws(SettingErrors) -> UserIDForm {
        try await read(Settings.idForm)
    }

    /// The networks that webhooks may connect to.
    func webhookNetworks() async throws(SettingErrors) -> WebhookNetworks {
        try await read(Settings.webhookNetworks)
    }

    private func read<Value>(_ body: (inout SettingsReader) -> Value) async throws(SettingErrors) -> Value {
        let environment = ProcessInfo.processInfo.environment
        let flags = ["database": database].compactMapValues { $0 }
        var reader = try await SettingsSource(
            flags: flags, environment: environment, file: config ?? environment["PARLEY_CONFIG"]
        ).reader()
        let value = body(&reader)
        try reader.finish()
        return value
    }
}
