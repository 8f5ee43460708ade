import Configuration
import ParleyAccounts

/// Reads settings, each by name, default and allowed values.
///
/// A wrong value is recorded, the default is used in its place, and reading continues, so that `finish()` reports every
/// wrong setting at once. The entries that were read are the table of docs/settings.md.
struct SettingsReader {
    /// A setting as the documentation shows it.
    struct Entry: Hashable, Sendable {
        let name: String
        let allowed: String
        let standard: String
        let summary: String
        var secrecy = Secrecy.none

        /// The name in the environment: `limits.text_chars` is `PARLEY_LIMITS_TEXT_CHARS`.
        var variable: String {
            SettingsSource.prefix + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
        }

        /// The name on the command line: `ops.port` is `--ops-port`.
        var flag: String {
            "--" + name.map { $0 == "." || $0 == "_" ? "-" : String($0) }.joined()
        }
    }

    /// The part of a value that may be shown.
    enum Secrecy: Hashable, Sendable {
        /// Everything.
        case none
        /// Nothing.
        case secret
        /// Only the scheme: a URL may contain a password.
        case url
    }

    /// Where a value comes from.
    enum Origin: Hashable, Sendable {
        case flag
        case environment
        case file(String)
    }

    struct Source: Sendable {
        let origin: Origin
        let provider: any ConfigProvider
    }

    private let sources: [Source]
    private(set) var entries: [Entry] = []
    /// The errors found so far.
    private(set) var errors: [SettingError] = []
    /// Secrets that still have the value of a sample.
    private(set) var placeholders: [SettingError] = []
    private var rejected: Set<String> = []

    /// - Parameter sources: the first that has a value counts.
    init(_ sources: [Source]) {
        self.sources = sources
    }

    // MARK: Reading

    mutating func integer(_ name: String, _ standard: Int, in range: ClosedRange<Int>, _ summary: String) -> Int {
        let allowed =
            range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
        let entry = Entry(name: name, allowed: "a whole number, \(allowed)", standard: "\(standard)", summary: summary)
        guard let content = value(entry, .int) else { return standard }
        guard case .int(let value) = content, range.contains(value) else { return rejecting(entry, standard) }
        return value
    }

    mutating func boolean(_ name: String, _ standard: Bool, _ summary: String) -> Bool {
        let entry = Entry(name: name, allowed: "true or false", standard: "\(standard)", summary: summary)
        guard let content = value(entry, .bool) else { return standard }
        guard case .bool(let value) = content else { return rejecting(entry, standard) }
        return value
    }

    mutating func text(
        _ name: String, _ standard: String, allowed: String, _ summary: String, secrecy: Secrecy = .none,
        isAllowed: (String) -> Bool = { _ in true }
    ) -> String {
        let entry = Entry(name: name, allowed: allowed, standard: standard, summary: summary, secrecy: secrecy)
        guard let content = value(entry, .string) else { return standard }
        guard case .string(let value) = content, isAllowed(value) else { return rejecting(entry, standard) }
        notePlaceholder(value, entry)
        return value
    }

    /// A setting without a default; an empty text counts as none.
    mutating func optionalText(
        _ name: String, allowed: String, standard: String = "not set", _ summary: String, secrecy: Secrecy = .none
    ) -> String? {
        let entry = Entry(name: name, allowed: allowed, standard: standard, summary: summary, secrecy: secrecy)
        guard let content = value(entry, .string) else { return nil }
        guard case .string(let value) = content else { return rejecting(entry, nil) }
        notePlaceholder(value, entry)
        return value.isEmpty ? nil : value
    }

    // MARK: Errors

    /// Records that the value of a setting that was read is wrong.
    /// - Parameter explanation: what is wrong, or what is missing; without the value.
    mutating func reject(_ name: String, _ explanation: String) {
        rejected.insert(name)
        errors.append(SettingError(setting: label(name), explanation: explanation))
    }

    /// Records that the value of a setting that was read is none of those allowed, and shows it unless it is secret.
    mutating func rejectValue(of name: String, because reason: String? = nil) {
        guard let entry = entries.last(where: { $0.name == name }) else { return }
        let explanation = "invalid value\(shownValue(of: entry)); \(reason ?? "expected \(entry.allowed)")"
        reject(name, explanation)
    }

    /// The result of `body`, or `fallback` and a recorded error about the setting.
    mutating func parse<Value>(_ name: String, or fallback: Value, _ body: () throws -> Value) -> Value {
        do {
            return try body()
        } catch let error as SettingError {
            reject(name, error.explanation)
        } catch {
            reject(name, "\(error)")
        }
        return fallback
    }

    /// Whether the setting was read and is wrong.
    func hasRejected(_ name: String) -> Bool { rejected.contains(name) }

    /// - Throws: everything that is wrong with what was read.
    func finish() throws(SettingErrors) {
        if !errors.isEmpty { throw SettingErrors(errors: errors) }
    }

    /// The name of the setting in an error: the flag, variable or place in a file that its value comes from.
    func label(_ name: String) -> String {
        guard let entry = entries.last(where: { $0.name == name }) else { return name }
        switch raw(entry)?.origin {
        case .flag: return entry.flag
        case .file(let path): return "\(name) in \(path)"
        case .environment, nil: return entry.variable
        }
    }

    // MARK: Values

    private mutating func value(_ entry: Entry, _ type: ConfigType) -> ConfigContent? {
        entries.append(entry)
        let key = Self.key(entry)
        for source in sources {
            do {
                if let value = try source.provider.value(forKey: key, type: type).value { return value.content }
            } catch {
                rejectValue(of: entry.name)
                return nil
            }
        }
        return nil
    }

    private mutating func rejecting<Value>(_ entry: Entry, _ standard: Value) -> Value {
        rejectValue(of: entry.name)
        return standard
    }

    private mutating func notePlaceholder(_ value: String, _ entry: Entry) {
        guard Placeholder.isIn(value, entry.secrecy) else { return }
        placeholders.append(
            SettingError(
                setting: label(entry.name),
                explanation: "is still a placeholder; set a real value, e.g. one from openssl rand -hex 32"))
    }

    private func shownValue(of entry: Entry) -> String {
        guard let text = raw(entry)?.text else { return "" }
        switch entry.secrecy {
        case .none: return " " + String(reflecting: String(text.prefix(100)))
        case .secret: return " (secret, not shown)"
        case .url:
            guard let scheme = text.firstRange(of: "://") else { return " (may be secret, not shown)" }
            return " \(text[..<scheme.upperBound])…"
        }
    }

    /// The value as it was written, and where.
    private func raw(_ entry: Entry) -> (text: String, origin: Origin)? {
        let key = Self.key(entry)
        for source in sources {
            var isPresent = false
            for type in [ConfigType.string, .int, .double, .bool] {
                do {
                    guard let value = try source.provider.value(forKey: key, type: type).value else { continue }
                    switch value.content {
                    case .string(let text): return (text, source.origin)
                    case .int(let number): return ("\(number)", source.origin)
                    case .double(let number): return ("\(number)", source.origin)
                    case .bool(let flag): return ("\(flag)", source.origin)
                    default: return ("…", source.origin)
                    }
                } catch {
                    isPresent = true
                }
            }
            // A list or an object, where one value is expected.
            if isPresent { return ("…", source.origin) }
        }
        return nil
    }

    private static func key(_ entry: Entry) -> AbsoluteConfigKey {
        AbsoluteConfigKey(entry.name.split(separator: ".").map(String.init))
    }
}

/// Every setting that is wrong.
struct SettingErrors: Error, Hashable, Sendable, CustomStringConvertible {
    let errors: [SettingError]
    /// Names that are no setting, since one of them may be what was meant.
    var unknown: [UnknownSetting] = []

    init(errors: [SettingError]) {
        self.errors = errors
    }

    init(_ error: SettingError) {
        errors = [error]
    }

    var description: String {
        let lines = errors.map { "\($0)" } + unknown.map { "\($0)" }
        guard lines.count > 1 else { return lines.first ?? "" }
        return (["\(lines.count) settings are wrong:"] + lines.map { "  \($0)" }).joined(separator: "\n")
    }
}

/// All settings as docs/settings.md shows them.
enum SettingsTable {
    static func markdown(_ entries: [SettingsReader.Entry]) -> String {
        let rows = entries.map { entry in
            "| `\(entry.variable)` | `\(entry.name)` | \(entry.standard) | \(entry.allowed) | \(summary(entry)) |"
        }
        return (["| environment | file | default | allowed | description |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n") + "\n"
    }

    private static func summary(_ entry: SettingsReader.Entry) -> String {
        switch entry.secrecy {
        case .none: entry.summary
        case .secret: entry.summary + " Secret."
        case .url: entry.summary + " Secret if it contains a password."
        }
    }
}
