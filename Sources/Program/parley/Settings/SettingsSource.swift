import Configuration
import Foundation
import ParleyAccounts
import ParleyGateway
import ParleyJSON
import SystemPackage

/// Where settings come from: flags go before the environment, the environment before the file.
struct SettingsSource {
    /// The prefix of every environment variable.
    static let prefix = "PARLEY_"

    private let sources: [SettingsReader.Source]
    private let environment: [String: String]
    private let file: String?
    /// The names in the file.
    private let fileNames: [String]

    /// - Parameters:
    ///   - flags: by name of the setting.
    ///   - environment: its `PARLEY_…` variables count.
    ///   - file: a JSON file, settings nested by the dots of their names.
    init(flags: [String: String], environment: [String: String], file: String?) async throws(SettingErrors) {
        let own = environment.filter { $0.key.hasPrefix(Self.prefix) }
        let stripped = own.map { (String($0.key.dropFirst(Self.prefix.count)), $0.value) }
        var sources = [
            // Flags are texts, as environment variables are, and are converted and checked alike.
            SettingsReader.Source(
                origin: .flag,
                provider: EnvironmentVariablesProvider(
                    environmentVariables: Dictionary(
                        uniqueKeysWithValues: flags.map { key, value in
                            (key.uppercased().replacingOccurrences(of: ".", with: "_"), value)
                        }))),
            SettingsReader.Source(
                origin: .environment,
                provider: EnvironmentVariablesProvider(
                    environmentVariables: Dictionary(uniqueKeysWithValues: stripped))),
        ]
        var names: [String] = []
        if let file {
            do {
                sources.append(
                    SettingsReader.Source(
                        origin: .file(file), provider: try await FileProvider<JSONSnapshot>(filePath: FilePath(file))))
                // The provider cannot list what it has.
                names = Self.names(in: try JSONTree(parsing: Data(contentsOf: URL(filePath: file))))
            } catch {
                throw SettingErrors(
                    SettingError(setting: "--config", explanation: "\(file) cannot be read as a JSON file"))
            }
        }
        self.sources = sources
        self.environment = own
        self.file = file
        fileNames = names
    }

    /// The names of all values of a settings file, joined by dots.
    private static func names(in tree: JSONTree, below path: String = "") -> [String] {
        guard case .members(let members) = tree else { return [path] }
        return members.flatMap { names(in: $0.value, below: path.isEmpty ? $0.key : "\(path).\($0.key)") }
    }

    func reader() -> SettingsReader {
        SettingsReader(sources)
    }

    /// The variables with the prefix, and the names in the file, that are no setting.
    func unknownSettings(besides known: [SettingsReader.Entry]) -> [UnknownSetting] {
        let variables = known.map(\.variable)
        let names = known.map(\.name)
        return environment.keys.filter { !variables.contains($0) && !Self.others.contains($0) }.sorted()
            .map { UnknownSetting($0, settings: variables) }
            + fileNames.filter { !names.contains($0) }.map { UnknownSetting($0, file: file, settings: names) }
    }

    /// Variables with the prefix that are no settings of the server.
    private static let others = [
        "PARLEY_CONFIG", "PARLEY_LENIENT", "PARLEY_BINARY", "PARLEY_API_KEY", "PARLEY_CHAT_PASSWORD",
        "PARLEY_CHAT_TOKEN",
        PlantedFault.Order.permit.variable,
    ]
}
