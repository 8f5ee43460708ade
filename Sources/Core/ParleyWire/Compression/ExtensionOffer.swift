/// One element of a `Sec-WebSocket-Extensions` header (RFC 6455 §9.1): a name and its parameters.
struct ExtensionOffer: Hashable, Sendable {
    struct Parameter: Hashable, Sendable {
        let name: String
        /// `nil` if there is no `=`.
        let value: String?
    }

    let name: String
    let parameters: [Parameter]

    /// Parses the offers of a header, in order, skipping malformed ones.
    ///
    /// A value may be quoted but must be a token, so commas and semicolons inside quotation marks need no handling: no
    /// valid offer has them there.
    static func parse(_ header: String) -> [ExtensionOffer] {
        header.split(separator: ",").compactMap(Self.init)
    }

    private init?(_ element: Substring) {
        let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(HTTPText.trim)
        guard let name = parts.first, HTTPText.isToken(name) else { return nil }
        var parameters: [Parameter] = []
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(HTTPText.trim)
            guard let name = sides.first, HTTPText.isToken(name) else { return nil }
            var value = sides.dropFirst().first
            if let quoted = value, quoted.count >= 2, quoted.first == "\"", quoted.last == "\"" {
                value = quoted.dropFirst().dropLast()
            }
            if let value, !HTTPText.isToken(value) { return nil }
            parameters.append(Parameter(name: String(name), value: value.map(String.init)))
        }
        self.name = String(name)
        self.parameters = parameters
    }
}
