/// Values that samples and documents show in the place of a secret.
enum Placeholder {
    private static let whole: Set = ["password", "passwd", "secret", "...", "…", "xxx", "todo"]
    private static let parts = [
        "changeme", "change-me", "change_me", "change me", "replaceme", "replace-me", "replace_me", "replace me",
        "placeholder", "random bytes", "secret_key", "your-secret", "your_secret", "your secret", "example",
        "0123456789",
    ]

    /// Whether a setting's value has one in it.
    static func isIn(_ value: String, _ secrecy: SettingsReader.Secrecy) -> Bool {
        switch secrecy {
        case .none: false
        case .secret: value.split(separator: ",").contains { isPlaceholder(key(of: $0)) }
        case .url: passwords(in: value).contains { isPlaceholder($0) }
        }
    }

    /// One secret.
    static func isPlaceholder(_ text: some StringProtocol) -> Bool {
        let text = text.lowercased().filter { $0 != "\"" && $0 != "'" }
        guard !text.isEmpty else { return false }
        if whole.contains(text) || (text.hasPrefix("<") && text.hasSuffix(">")) { return true }
        if text.utf8.count >= 8, Set(text).count <= 2 { return true }
        return parts.contains { text.contains($0) }
    }

    /// The key of an entry `name:pk_…`, or the entry.
    private static func key(of entry: Substring) -> Substring {
        guard let start = entry.firstRange(of: ":pk_") else { return entry }
        return entry[start.upperBound...]
    }

    /// The passwords of URLs: what is between a colon and the `@`, after each `://`.
    private static func passwords(in urls: String) -> [Substring] {
        urls.split(separator: "://").dropFirst().compactMap { rest in
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            guard let at = authority.lastIndex(of: "@") else { return nil }
            let login = authority[..<at]
            return login.firstIndex(of: ":").map { login[login.index(after: $0)...] }
        }
    }
}
