import Configuration
import ParleyAccounts

/// Reads settings, each by name, default and what is allowed, and remembers them all: the list of settings that the
/// documentation shows is what the program has asked for.
struct SettingsReader {
    /// A setting as the documentation shows it.
    struct Entry: Hashable, Sendable {
        let name: String
        let allowed: String
        let standard: String
        let summary: String

        /// The name in the environment: `limits.text_chars` is `PARLEY_LIMITS_TEXT_CHARS`.
        var variable: String {
            "PARLEY_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
        }
    }

    private let providers: [any ConfigProvider]
    private(set) var entries: [Entry] = []

    /// - Parameter providers: the first that knows a setting is right.
    init(_ providers: [any ConfigProvider]) {
        self.providers = providers
    }

    mutating func integer(
        _ name: String, _ standard: Int, in range: ClosedRange<Int>, _ summary: String
    ) throws(SettingError) -> Int {
        let allowed =
            range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
        let entry = Entry(name: name, allowed: "a whole number, \(allowed)", standard: "\(standard)", summary: summary)
        entries.append(entry)
        guard let content = try value(entry, .int) else { return standard }
        guard case .int(let value) = content, range.contains(value) else { throw invalid(entry) }
        return value
    }

    mutating func boolean(_ name: String, _ standard: Bool, _ summary: String) throws(SettingError) -> Bool {
        let entry = Entry(name: name, allowed: "true or false", standard: "\(standard)", summary: summary)
        entries.append(entry)
        guard let content = try value(entry, .bool) else { return standard }
        guard case .bool(let value) = content else { throw invalid(entry) }
        return value
    }

    mutating func text(
        _ name: String, _ standard: String, allowed: String, _ summary: String,
        isAllowed: (String) -> Bool = { _ in true }
    ) throws(SettingError) -> String {
        let entry = Entry(name: name, allowed: allowed, standard: standard, summary: summary)
        entries.append(entry)
        guard let content = try value(entry, .string) else { return standard }
        guard case .string(let value) = content, isAllowed(value) else { throw invalid(entry) }
        return value
    }

    /// A setting without a default; a secret is named so by its summary and never printed.
    mutating func optionalText(
        _ name: String, allowed: String, standard: String = "not set", _ summary: String
    ) throws(SettingError) -> String? {
        let entry = Entry(name: name, allowed: allowed, standard: standard, summary: summary)
        entries.append(entry)
        guard let content = try value(entry, .string) else { return nil }
        guard case .string(let value) = content else { throw invalid(entry) }
        return value.isEmpty ? nil : value
    }

    private func value(_ entry: Entry, _ type: ConfigType) throws(SettingError) -> ConfigContent? {
        let key = AbsoluteConfigKey(entry.name.split(separator: ".").map(String.init))
        for provider in providers {
            do {
                if let value = try provider.value(forKey: key, type: type).value { return value.content }
            } catch {
                throw invalid(entry)
            }
        }
        return nil
    }

    /// The value itself is not shown: it may be a secret in the wrong place.
    private func invalid(_ entry: Entry) -> SettingError {
        SettingError(setting: "\(entry.variable) (\(entry.name))", explanation: "allowed is \(entry.allowed)")
    }
}

/// All settings as the documentation shows them.
enum SettingsTable {
    static func markdown(_ entries: [SettingsReader.Entry]) -> String {
        let rows = entries.map { entry in
            "| `\(entry.variable)` | `\(entry.name)` | \(entry.standard) | \(entry.allowed) | \(entry.summary) |"
        }
        return (["| environment | file | default | allowed | what it is |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n") + "\n"
    }
}
