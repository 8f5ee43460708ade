import Configuration
import Foundation
import ParleyAccounts
import ParleyGateway
import SystemPackage

/// Where settings come from: flags go before the environment, the environment before the file.
struct SettingsSource {
    private let providers: [any ConfigProvider]
    private let environment: [String: String]

    /// - Parameters:
    ///   - flags: by name of the setting.
    ///   - environment: its `PARLEY_…` variables count.
    ///   - file: a JSON file, settings nested by the dots of their names.
    init(flags: [String: String], environment: [String: String], file: String?) async throws(SettingError) {
        let own = environment.filter { $0.key.hasPrefix("PARLEY_") }
        let stripped = own.map { (String($0.key.dropFirst("PARLEY_".count)), $0.value) }
        var providers: [any ConfigProvider] = [
            // Flags are texts, as environment variables are, and are converted and checked alike.
            EnvironmentVariablesProvider(
                environmentVariables: Dictionary(
                    uniqueKeysWithValues: flags.map { key, value in
                        (key.uppercased().replacingOccurrences(of: ".", with: "_"), value)
                    })),
            EnvironmentVariablesProvider(environmentVariables: Dictionary(uniqueKeysWithValues: stripped)),
        ]
        if let file {
            do {
                providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
            } catch {
                throw SettingError(setting: "--config", explanation: "\(file) cannot be read as a JSON file")
            }
        }
        self.providers = providers
        self.environment = own
    }

    func reader() -> SettingsReader {
        SettingsReader(providers)
    }

    /// Variables that look like settings and are none: probably a slip.
    func unknownVariables(besides known: [SettingsReader.Entry]) -> [String] {
        let names = Set(known.map(\.variable) + Self.others)
        return environment.keys.filter { !names.contains($0) }.sorted()
    }

    /// Variables with the prefix that are no settings of the server.
    private static let others = [
        "PARLEY_CONFIG", "PARLEY_LENIENT", "PARLEY_BINARY", "PARLEY_API_KEY",
        PlantedFault.Order.permit.variable,
    ]
}
