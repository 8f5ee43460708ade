/// The origin of a page (RFC 6454): scheme, host and port in lower case, with the scheme's default port filled in.
package struct Origin: Hashable, Sendable {
    package let scheme: String
    package let host: String
    /// `nil` if none is given and the scheme has no default.
    package let port: UInt16?

    /// `nil` unless it is `scheme://host[:port]`: `null`, a path or several origins are rejected.
    package init?(_ text: String) {
        guard let (scheme, authority) = Self.split(text.lowercased()),
            let (host, port) = Self.hostAndPort(authority)
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port ?? Self.usualPort(of: scheme)
    }

    /// Whether a request with this `Host` header is of the same origin.
    ///
    /// The scheme of the request is unknown here (TLS may end at a proxy), so a `Host` without a port stands for the
    /// default port of the origin's scheme.
    package func isHost(_ header: String) -> Bool {
        guard let (host, port) = Self.hostAndPort(header.lowercased()[...]) else { return false }
        return host == self.host && self.port != nil && (port ?? Self.usualPort(of: scheme)) == self.port
    }

    private static func split(_ text: String) -> (scheme: String, authority: Substring)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon]
        let rest = text[text.index(after: colon)...]
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) }), rest.hasPrefix("//")
        else { return nil }
        return (String(scheme), rest.dropFirst(2))
    }

    private static func hostAndPort(_ authority: Substring) -> (host: String, port: UInt16?)? {
        let hostEnd: String.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]"),
                authority[..<bracket].utf8.dropFirst().allSatisfy({ isLetterOrDigit($0) || ":.".utf8.contains($0) })
            else { return nil }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
            guard authority[..<hostEnd].utf8.allSatisfy({ isLetterOrDigit($0) || "-._".utf8.contains($0) })
            else { return nil }
        }
        let host = authority[..<hostEnd]
        guard !host.isEmpty else { return nil }
        let rest = authority[hostEnd...]
        if rest.isEmpty { return (String(host), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { return nil }
        return (String(host), port)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func usualPort(of scheme: String) -> UInt16? {
        switch scheme {
        case "http", "ws": 80
        case "https", "wss": 443
        default: nil
        }
    }
}
