/// The pages that may authenticate with a browser's cookie: the pages of this host and of the origins on a list.
package struct OriginPolicy: Hashable, Sendable {
    package let allowed: Set<Origin>

    package init(allowed: Set<Origin> = []) {
        self.allowed = allowed
    }

    /// Parses `PARLEY_ALLOWED_ORIGINS`: comma-separated origins, e.g. `https://chat.example.org,http://localhost:3000`.
    package init(parsing list: String) throws(SettingError) {
        var allowed: Set<Origin> = []
        for entry in list.split(separator: ",") {
            let text = entry.trimmingSpaces
            if text.isEmpty { continue }
            guard let origin = Origin(text) else {
                throw SettingError(
                    setting: "PARLEY_ALLOWED_ORIGINS",
                    explanation: "\"\(text)\" is not an origin; expected comma-separated scheme://host or "
                        + "scheme://host:port, e.g. https://chat.example.org")
            }
            allowed.insert(origin)
        }
        self.allowed = allowed
    }

    /// - Parameters:
    ///   - origin: the `Origin` header; only browsers send it.
    ///   - host: the `Host` header.
    package func allows(origin: String?, host: String?) -> Bool {
        guard let origin else { return true }
        guard let page = Origin(origin) else { return false }
        if let host, page.isHost(host) { return true }
        return allowed.contains(page)
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmingSpaces: String {
        var rest = self[...]
        while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
        return String(rest)
    }
}
