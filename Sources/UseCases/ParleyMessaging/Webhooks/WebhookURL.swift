package import ParleyAccounts

/// The URL of an endpoint, of at most 2,048 ASCII characters.
///
/// It accepts fewer texts than RFC 3986, so that this check and the HTTP client cannot disagree about the host.
package struct WebhookURL: Hashable, Sendable {
    package enum Scheme: String, Hashable, Sendable {
        case http, https
    }

    package static let maximumLength = 2_048

    package let text: String
    package let scheme: Scheme
    /// A name in lower case, or the text of an address without brackets.
    package let host: String
    package let port: Int
    /// The path and the query, beginning with `/`.
    package let target: String

    /// The address, if the host is one.
    package var address: IPAddress? { IPAddress(host) }

    /// - Throws: `WebhookRefusal.malformed`.
    package init(_ text: String) throws(WebhookRefusal) {
        guard text.utf8.count <= Self.maximumLength else {
            throw .malformed("the URL is longer than \(Self.maximumLength) characters")
        }
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Self.refused.contains($0) }
        guard isPlain else { throw .malformed("the URL has characters that have to be percent-encoded") }
        guard let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: text.prefix(upTo: colon).lowercased())
        else {
            throw .malformed("the URL does not begin with https:// or http://")
        }
        let rest = text.suffix(from: colon).dropFirst()
        guard rest.hasPrefix("//") else { throw .malformed("the URL does not begin with https:// or http://") }
        let hierarchy = rest.dropFirst(2)
        guard !hierarchy.contains("#") else { throw .malformed("the URL has a fragment") }
        let end = hierarchy.firstIndex { $0 == "/" || $0 == "?" } ?? hierarchy.endIndex
        let (host, port) = try Self.authority(hierarchy.prefix(upTo: end))
        let target = hierarchy.suffix(from: end)
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == .https ? 443 : 80)
        self.target = target.hasPrefix("/") ? String(target) : "/\(target)"
    }

    /// Quotes, angle brackets, the backslash, the circumflex, the grave accent and braces, which clients treat differently.
    private static let refused = Set("\"<>\\^`{|}".utf8)

    private static func authority(_ text: Substring) throws(WebhookRefusal) -> (host: String, port: Int?) {
        guard !text.contains("@") else { throw .malformed("the URL has a user") }
        let host: Substring
        let rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw .malformed("the host has no closing bracket") }
            host = text.prefix(upTo: end).dropFirst()
            // A zone names an interface of this machine.
            guard host.contains(":"), !host.contains("%"), IPAddress(host) != nil else {
                throw .malformed("the host in brackets is not an IPv6 address")
            }
            rest = text.suffix(from: end).dropFirst()
        } else {
            host = text.prefix { $0 != ":" }
            rest = text.suffix(from: host.endIndex)
            try check(name: host)
        }
        guard !rest.isEmpty else { return (host.lowercased(), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw .malformed("the port is not a number from 1 to 65535") }
        return (host.lowercased(), port)
    }

    private static func check(name: Substring) throws(WebhookRefusal) {
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        let isName =
            name.utf8.count <= 254
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isNameCharacter)
            }
        guard isName, let last = labels.last else { throw .malformed("the host is neither a name nor an address") }
        // Resolvers take such names for addresses: 127.1, 0x7f000001, 2130706433 (WHATWG URL, "ends in a number").
        let endsInNumber = last.utf8.allSatisfy { (0x30...0x39).contains($0) } || last.lowercased().hasPrefix("0x")
        guard !endsInNumber || IPAddress(name) != nil else {
            throw .malformed("the host is a number, and not an address of four decimal numbers")
        }
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}

extension WebhookNetworks {
    /// Checks a URL when it is set. A name is checked when a connection is made, since its addresses may change.
    package func check(_ url: WebhookURL) throws(WebhookRefusal) {
        if let address = url.address, let refusal = refusal(of: address, over: url.scheme) { throw refusal }
        // A name can be in an allowed network only if there is one.
        if url.address == nil, url.scheme == .http, allowsNothing { throw .plainText }
    }
}
