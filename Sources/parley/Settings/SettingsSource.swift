import Configuration
import Foundation
import ParleyAccounts
import ParleyGateway
import SystemPackage

/// Where settings come from: flags go before the environment, the environment before the file.
struct SettingsSource {
    private let sources: [SettingsReader.Source]
    private let environment: [String: String]

    /// - Parameters:
    ///   - flags: by name of the setting.
    ///   - environment: its `PARLEY_…` variables count.
    ///   - file: a JSON file, settings nested by the dots of their names.
    init(flags: [String: String], environment: [String: String], file: String?) async throws(SettingErrors) {
        let own = environment.filter { $0.key.hasPrefix("PARLEY_") }
        let stripped = own.map { (String($0.key.dropFirst("PARLEY_".count)), $0.value) }
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
        if let file {
            do {
                sources.append(
                    SettingsReader.Source(
                        origin: .file(file), provider: try await FileProvider<JSONSnapshot>(filePath: FilePath(file))))
            } catch {
                throw SettingErrors(
                    SettingError(setting: "--config", explanation: "\(file) cannot be read as a JSON file"))
            }
        }
        self.sources = sources
        self.environment = own
    }

    func reader() -> SettingsReader {
        SettingsReader(sources)
    }

    /// The variables with our prefix that are no setting.
    func unknownVariables(besides known: [SettingsReader.Entry]) -> [UnknownVariable] {
        let settings = known.map(\.variable)
        let names = Set(settings + Self.others)
        return environment.keys.filter { !names.contains($0) }.sorted().map { UnknownVariable($0, settings: settings) }
    }

    /// Variables with the prefix that are no settings of the server.
    private static let others = [
        "PARLEY_CONFIG", "PARLEY_LENIENT", "PARLEY_BINARY", "PARLEY_API_KEY",
        PlantedFault.Order.permit.variable,
    ]
}

/// A variable that looks like a setting and is none: probably misspelt.
struct UnknownVariable: Hashable, Sendable, CustomStringConvertible {
    let name: String
    /// The setting that is spelt most like it; `nil` if none is close.
    let suggestion: String?

    init(_ name: String, settings: [String]) {
        self.name = name
        let closest = settings.map { (distance: Self.distance(name, $0), name: $0) }.min { $0.distance < $1.distance }
        // The prefix is equal, so the rest decides: a third of it may differ.
        let limit = max(2, (name.count - "PARLEY_".count) / 3)
        suggestion = closest.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    var description: String {
        "unknown setting \(name)" + (suggestion.map { "; did you mean \($0)?" } ?? "")
    }

    /// The Levenshtein distance.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
